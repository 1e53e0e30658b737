package resync

import (
	"context"
	"errors"
	"net"
	"net/http"

	"overdue/internal/plugin"
	"overdue/internal/poseidon"
)

// servers are Poseidon and Nomad.
type servers struct {
	poseidon poseidon.Options
}

func (s *servers) addFlags(flags *plugin.Flags) {
	s.poseidon.AddFlags(flags.Group("Poseidon"))
}

// connect gives the handler its clients. It sends nothing.
func (s *servers) connect(h *handler, run *plugin.Run) error {
	_, replaying := run.Recorded()
	client, err := poseidon.Connect(s.poseidon, poseidon.Surroundings{
		Getenv:    run.Getenv,
		UserAgent: run.UserAgent(),
		Transport: func(base http.RoundTripper) http.RoundTripper { return run.Transport(base, nil) },
		Waiting:   run.Waiting,
		Offline:   replaying,
	})
	if err != nil {
		return err
	}
	h.poseidon = client
	h.nomad = func(context.Context, map[int]Pool) Nomad { return Nomad{Trouble: "not yet"} }
	return nil
}

// isUnsent says that a request certainly did not reach the server: there was no connection to send it on.
func isUnsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
