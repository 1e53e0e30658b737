package main

import (
	"fmt"
	"strings"
)

// nagios are the commands for Nagios, whose command lines cannot leave an option out: they hold what every site needs. The
// shell runs them, so every macro is in quotes. An option that the service has no variable for is given the empty text.
var nagios = []struct {
	name    string
	options []setting
}{
	{"check_mcp", append(cluster, setting{"warning", "$ARG1$"}, setting{"critical", "$ARG2$"})},
	{"check_gpu_node", append(cluster, setting{"warning", "$ARG1$"}, setting{"critical", "$ARG2$"})},
	{"check_nomad_evals", []setting{{"address", "$_HOSTNOMAD_ADDRESS$"}, {"token-file", "$_HOSTNOMAD_TOKEN_FILE$"}, {"ca-file", "$_HOSTNOMAD_CA_FILE$"},
		{"warning", "$ARG1$"}, {"critical", "$ARG2$"}}},
	{"check_prewarm_pool", append(pool, setting{"warning", "$ARG1$"}, setting{"critical", "$ARG2$"})},
	{"resync_prewarm_pool", append(pool, setting{"state", "$SERVICESTATE$"}, setting{"state-type", "$SERVICESTATETYPE$"},
		setting{"attempt", "$SERVICEATTEMPT$"}, setting{"downtime-depth", "$SERVICEDOWNTIME$"}, setting{"host-downtime-depth", "$HOSTDOWNTIME$"})},
}

type setting struct{ option, value string }

var (
	cluster = []setting{{"server", "$_HOSTOPENSHIFT_SERVER$"}, {"token-file", "$_HOSTOPENSHIFT_TOKEN_FILE$"}, {"ca-file", "$_HOSTOPENSHIFT_CA_FILE$"}}
	pool    = []setting{{"environment", "$_SERVICEPOSEIDON_ENVIRONMENT$"},
		{"address", "$_HOSTPOSEIDON_ADDRESS$"}, {"token-file", "$_HOSTPOSEIDON_TOKEN_FILE$"}, {"ca-file", "$_HOSTPOSEIDON_CA_FILE$"},
		{"nomad-address", "$_HOSTNOMAD_ADDRESS$"}, {"nomad-token-file", "$_HOSTNOMAD_TOKEN_FILE$"}, {"nomad-ca-file", "$_HOSTNOMAD_CA_FILE$"}}
)

func nagiosCommands() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", generated)
	for _, c := range nagios {
		fmt.Fprintf(&b, "\ndefine command {\n  command_name %s\n  command_line $USER1$/%s", c.name, c.name)
		for _, s := range c.options {
			fmt.Fprintf(&b, " --%s '%s'", s.option, s.value)
		}
		b.WriteString("\n}\n")
	}
	return b.String()
}
