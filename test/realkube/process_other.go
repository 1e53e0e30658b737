//go:build !linux

package realkube

import "errors"

// Elsewhere nothing would end the servers when a test run is killed, so they are not started.
type process struct{}

var errLinuxOnly = errors.New("the real servers are started on Linux only")

func start(dir, binary string, args ...string) (*process, error) { return nil, errLinuxOnly }

func (p *process) kill()         {}
func (p *process) freeze() error { return errLinuxOnly }
func (p *process) thaw() error   { return errLinuxOnly }
func (p *process) ended() bool   { return true }
func (p *process) tail() string  { return "" }
