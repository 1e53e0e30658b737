//go:build linux

package realicinga

import (
	"fmt"
	"strings"
	"testing"
)

// main is the configuration of every node. Services are checked when a test says so, and by nothing else.
const main = `include <itl>
include "zones.conf"
include "features/*.conf"
object IcingaApplication "app" { enable_service_checks = false }
object CheckerComponent "checker" { }
object ApiListener "api" {
  bind_host = "127.0.0.1"
  bind_port = ApiPort
  accept_config = true
  accept_commands = true
}
object ApiUser "` + User + `" {
  password = "` + Password + `"
  permissions = [ "*" ]
}
object FileLogger "debug" {
  severity = "debug"
  path = LogDir + "/debug.log"
}
`

// Cluster writes the main file and the zones of all nodes, each a zone of its own below its parent.
func Cluster(t testing.TB, nodes ...*Node) {
	t.Helper()
	for _, here := range nodes {
		var zones strings.Builder
		for _, n := range nodes {
			address := ""
			if n.Parent == here.Name { // a parent connects to its children, and nobody the other way
				address = fmt.Sprintf("host = \"127.0.0.1\"\n  port = \"%d\"", n.Port)
			}
			parent := ""
			if n.Parent != "" {
				parent = fmt.Sprintf("parent = %q", n.Parent)
			}
			fmt.Fprintf(&zones, "object Endpoint %q {\n  %s\n}\nobject Zone %q {\n  endpoints = [ %[1]q ]\n  %[4]s\n}\n", n.Name, address, n.Name, parent)
		}
		zones.WriteString("object Zone \"global-templates\" { global = true }\n")
		here.Write(t, "zones.conf", zones.String())
		here.Write(t, "icinga2.conf", main)
	}
}
