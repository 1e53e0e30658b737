# `make help` lists the targets.

PREFIX    ?= /usr
PLUGINDIR ?= $(PREFIX)/lib/nagios/plugins
DOCDIR    ?= $(PREFIX)/share/doc/overdue
DATADIR   ?= $(PREFIX)/share/overdue
MANDIR    ?= $(PREFIX)/share/man
INSTALL   ?= install
GO        ?= go

# What comes after a tag sorts after it, in dpkg, rpm and Semantic Versioning: v0.1.0, 0.1.0+3.gHASH, v0.1.1. A hyphen would make it a pre-release.
VERSION ?= $(or $(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null | \
	sed 's/^v//; s/-\([0-9]*\)-g\([0-9a-f]*\)/+\1.g\2/; /+/s/-dirty$$/.dirty/; s/-dirty$$/+0.dirty/'),0.1.0-dev)
COMMIT  ?= $(or $(shell git rev-parse --short=12 HEAD 2>/dev/null),unknown)
export SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell date +%s))

BIN     ?= bin
PLUGINS := $(notdir $(wildcard cmd/*))
LDFLAGS := -s -w -X overdue/internal/plugin.Version=$(VERSION) -X overdue/internal/plugin.Commit=$(COMMIT)
TAGS    := integration,performance,package

# The version is told by the linker, so Go need not ask git, which may refuse a tree that another user owns.
export GOFLAGS := $(filter-out -buildvcs=%,$(GOFLAGS)) -buildvcs=false

.DEFAULT_GOAL := all

##@ Building
all: plugins man ## build the plugins into bin/ (static, no C compiler needed) and their man pages into bin/man/

plugins: $(PLUGINS:%=$(BIN)/%)

# Go knows best what is up to date.
$(BIN)/%: FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./cmd/$*

man:
	@mkdir -p bin/man
	GOOS= GOARCH= $(GO) run ./packaging/man bin/man '$(VERSION)' $(PLUGINS)

wiring: ## write icinga/ anew from the programs' options
	GOOS= GOARCH= $(GO) run ./packaging/icinga icinga

# Nothing is built here: whoever may install often has no Go.
install: ## copy what make built, documentation and Icinga's files to DESTDIR, under PREFIX (/usr) and PLUGINDIR
	@for file in $(PLUGINS:%=$(BIN)/%) $(PLUGINS:%=bin/man/%.8); do test -f $$file || { echo "$$file is not there: run make first" >&2; exit 1; }; done
	$(INSTALL) -d '$(DESTDIR)$(PLUGINDIR)' '$(DESTDIR)$(DOCDIR)/docs' '$(DESTDIR)$(DATADIR)' '$(DESTDIR)$(MANDIR)/man8'
	$(INSTALL) -m 0755 $(PLUGINS:%=$(BIN)/%) '$(DESTDIR)$(PLUGINDIR)'
	$(INSTALL) -m 0644 $(PLUGINS:%=bin/man/%.8) '$(DESTDIR)$(MANDIR)/man8'
	$(INSTALL) -m 0644 LICENSE $(wildcard *.md) '$(DESTDIR)$(DOCDIR)'
	$(INSTALL) -m 0644 $(wildcard docs/*.md) '$(DESTDIR)$(DOCDIR)/docs'
	find icinga -type f | while read -r file; do \
		$(INSTALL) -D -m 0644 "$$file" '$(DESTDIR)$(DATADIR)'/"$$file" || exit; \
	done

uninstall: ## remove what install copied, with the same variables
	rm -f $(PLUGINS:%='$(DESTDIR)$(PLUGINDIR)/%') $(PLUGINS:%='$(DESTDIR)$(MANDIR)/man8/%.8')
	rm -rf '$(DESTDIR)$(DOCDIR)' '$(DESTDIR)$(DATADIR)/icinga'
	rmdir '$(DESTDIR)$(DATADIR)' 2>/dev/null || true

package: all ## build dist/: tarballs, .deb, .rpm, SBOM, checksums; the same commit gives the same bytes
	packaging/build '$(VERSION)' '$(COMMIT)'

clean: ## remove what was built here (not the cache of test servers)
	rm -rf bin dist

##@ Testing
test: ## tests without a server
	$(GO) test $(TESTFLAGS) ./...

race: ## the same under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race $(TESTFLAGS) ./...

FUZZTIME ?= 10m
fuzz: ## every parser and decoder against random input, FUZZTIME (10m) for each
	test/fuzz $(FUZZTIME)

integration: ## tests against a real Kubernetes API server (builds it first: some minutes, once), Icinga, Nagios and Director if they are installed
	OVERDUE_SERVERS="$$(test/servers/build)" && export OVERDUE_SERVERS && \
	$(GO) test -tags integration -count=1 $(TESTFLAGS) ./test/...

package-test: ## install, upgrade and remove the .deb on this machine, as root, with a real Icinga 2
	$(GO) test -tags package -count=1 $(TESTFLAGS) ./test/package

# BENCHFLAGS: -rounds 1 -starts 20 -nodes 47,1000 -evaluations 23000 for a first look, -out FILE for a copy of the tables.
bench: all ## cost of the plugins beside a bare program, kubectl or curl with jq, and python: sizes up to 5,000 nodes and 150,000 pods
	OVERDUE_SERVERS="$$(test/servers/build)" && export OVERDUE_SERVERS && \
	$(GO) test -tags performance -count=1 -timeout 60m -v $(TESTFLAGS) ./test/performance -args $(BENCHFLAGS)

lint: ## gofmt, go vet, staticcheck, licences of what is linked
	@unformatted=$$(gofmt -l .) && if [ -n "$$unformatted" ]; then \
		echo "gofmt -w would change:" >&2; echo "$$unformatted" >&2; exit 1; fi
	$(GO) vet -tags $(TAGS) ./...
	$(GO) tool -modfile=test/tools/go.mod staticcheck -tags $(TAGS) ./...
	$(GO) run ./packaging/licences >/dev/null

##@ Looking
demo: all ## show the plugins at work, without a cluster
	$(GO) run ./demo

demo-icinga: ## watch a real Icinga 2 (Debian: icinga2-bin) tell both incidents, a minute of retries in a second
	@OVERDUE_DAEMONS=1 OVERDUE_SERVERS="$$(test/servers/build)" && export OVERDUE_DAEMONS OVERDUE_SERVERS && \
	$(GO) test -tags integration -count=1 -v -run '^TestIcinga(TellsTheTaint|TellsTheLostEvaluations|RefillsThePool)$$' ./test/integration | sed -u '/^=== /d'

recordings: ## record the demo's situations anew: from a real API server, and from the stand-in for Nomad
	OVERDUE_RECORDINGS='$(CURDIR)/demo/recordings' $(GO) test -count=1 -run WriteRecordings ./internal/...
	OVERDUE_SERVERS="$$(test/servers/build)" && export OVERDUE_SERVERS && \
	OVERDUE_RECORDINGS='$(CURDIR)/demo/recordings' $(GO) test -tags integration -count=1 -run WriteRecordings ./test/integration
	UPDATE_SCRIPTS=1 $(GO) test -count=1 ./cmd/...

help: ## this list
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: all plugins man wiring install uninstall package package-test clean test race fuzz integration bench lint demo demo-icinga recordings help FORCE
