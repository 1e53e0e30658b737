#!/bin/sh
# Shows what the plugins say about recorded incidents: the real binaries, judging answers that real servers gave.
set -u
cd "$(dirname "$0")/.." || exit 1

show() {
	printf '\n\033[1m# %s\033[0m\n' "$1"
	shift
	printf '$ %s\n' "$*"
	"bin/$@" | cut -d '|' -f 1 | fold -s -w "${COLUMNS:-120}"
	"bin/$@" >/dev/null
	printf 'exit code %d\n' "$?"
}

show 'A node is outdated and cordoned: its pool has waited unnoticed.' \
	check_mcp --replay demo/recordings/mcp-blocked.yaml
show 'The published line of the incident: READY 42, UPDATED 44, and nothing left to reboot.' \
	check_mcp --replay demo/recordings/mcp-incident.yaml
show 'A PodDisruptionBudget holds a drain.' \
	check_mcp --replay demo/recordings/mcp-drain.yaml
show 'Would it have alarmed ten minutes after the drain began?' \
	check_mcp --replay demo/recordings/mcp-drain.yaml --now "$(cat demo/recordings/mcp-drain.10min)"
show 'A healthy cluster: one request.' \
	check_mcp --replay demo/recordings/mcp-healthy.yaml
