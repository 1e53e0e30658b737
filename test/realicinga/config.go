//go:build linux

package realicinga

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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

// Cluster writes the main file and the zones of all nodes. Of two in one zone the first connects to the second.
func Cluster(t testing.TB, nodes ...*Node) {
	t.Helper()
	for _, here := range nodes {
		var zones strings.Builder
		members := map[string][]string{}
		for i, n := range nodes {
			address := ""
			switch { // nobody else connects: not a child to its parent, nor the second to the first
			case n.Zone != here.Zone && n.Parent == here.Zone:
				address = at(n.Port)
			case n.Zone == here.Zone && slices.Index(nodes, here) < i:
				address = at(cmp.Or(n.Through, n.Port))
			}
			fmt.Fprintf(&zones, "object Endpoint %q {\n  %s\n}\n", n.Name, address)
			members[n.Zone] = append(members[n.Zone], strconv.Quote(n.Name))
		}
		for _, n := range nodes {
			if members[n.Zone] == nil {
				continue
			}
			parent := ""
			if n.Parent != "" {
				parent = fmt.Sprintf("parent = %q", n.Parent)
			}
			fmt.Fprintf(&zones, "object Zone %q {\n  endpoints = [ %s ]\n  %s\n}\n", n.Zone, strings.Join(members[n.Zone], ", "), parent)
			delete(members, n.Zone)
		}
		zones.WriteString("object Zone \"global-templates\" { global = true }\n")
		here.Write(t, "zones.conf", zones.String())
		here.Write(t, "icinga2.conf", main)
	}
}

func at(port int) string { return fmt.Sprintf("host = \"127.0.0.1\"\n  port = \"%d\"", port) }
