package prewarm

import (
	"cmp"
	"context"
	"net/http"

	"overdue/internal/nomad"
	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// Sources are the servers that know of the pools: Poseidon, and Nomad below it.
type Sources struct {
	Poseidon  poseidon.Options
	Nomad     nomad.Options
	Namespace string // of Poseidon's jobs in Nomad
}

// AddFlags declares the options. nomadAddress tells what --nomad-address is for.
func (o *Sources) AddFlags(flags *plugin.Flags, nomadAddress string) {
	o.Poseidon.AddFlags(flags.Group("Poseidon"))
	f := flags.Group("Nomad, to check Poseidon's counts")
	o.Nomad.AddFlags(f, "nomad-")
	f.Lookup("nomad-address").Usage = nomadAddress
	f.StringVar(&o.Namespace, "nomad-namespace", nomad.AllNamespaces, "`NAMESPACE` of Poseidon's jobs, nomad.namespace of its configuration")
}

// Argument is the option that has a person ask the same Poseidon, after a blank, or "" if that is the default one.
func (o Sources) Argument(getenv func(string) string) string {
	address := cmp.Or(o.Poseidon.Address, getenv("POSEIDON_ADDR"))
	if address == "" {
		return ""
	}
	return " --address " + plugin.Word(address)
}

// Connect returns a client of Poseidon, and what counts its runners in Nomad, nil if that is not wanted. It sends nothing.
func (o Sources) Connect(run *plugin.Run, withNomad bool) (*poseidon.Client, func(context.Context) *Nomad, error) {
	recording, replaying := run.Recorded()
	client, err := poseidon.Connect(o.Poseidon, poseidon.Surroundings{
		Getenv:    run.Getenv,
		UserAgent: run.UserAgent(),
		Transport: func(base http.RoundTripper) http.RoundTripper { return run.Transport(base, nil) },
		Waiting:   run.Waiting,
		Offline:   replaying,
	})
	if err != nil || !withNomad {
		return client, nil, err
	}
	servers, err := nomad.Connect(o.Nomad, nomad.Surroundings{
		Getenv:     run.Getenv,
		UserAgent:  run.UserAgent(),
		Transport:  func(base http.RoundTripper) http.RoundTripper { return run.Transport(base, nomad.Scrub) },
		Waiting:    run.Waiting,
		Pause:      nomad.PauseFor,
		Recorded:   recording || replaying,
		Offline:    replaying,
		PolicyFile: "icinga/nomad-policy.hcl",
	})
	if err != nil {
		return nil, nil, err
	}
	return client, func(ctx context.Context) *Nomad {
		return readNomad(ctx, servers, cmp.Or(o.Namespace, nomad.AllNamespaces), run.Now())
	}, nil
}
