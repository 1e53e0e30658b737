package main

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"overdue/internal/plugin/commandtest"
	"overdue/internal/poseidon"
	"overdue/internal/poseidon/poseidontest"
)

func TestMain(m *testing.M) { commandtest.Main(m, "resync_prewarm_pool", main) }

func TestScripts(t *testing.T) { commandtest.Run(t, withPoseidon) }

// withPoseidon gives each script a Poseidon of its own, whose time goes by itself, and a state directory. The command
// `poseidon` sets the counts of an environment, or what is wrong.
func withPoseidon(params *testscript.Params) {
	type key struct{}
	usual := params.Setup
	params.Setup = func(env *testscript.Env) error {
		if err := usual(env); err != nil {
			return err
		}
		server := poseidontest.New()
		ctx, cancel := context.WithCancel(context.Background())
		go hurry(ctx, server)
		env.Defer(func() { cancel(); server.Close() })
		env.Values[key{}] = server
		env.Setenv("POSEIDON_ADDR", server.URL())
		name, err := poseidon.Options{Address: server.URL()}.FileName(nil)
		env.Setenv("POSEIDON", name)
		return err
	}
	params.Cmds["poseidon"] = func(ts *testscript.TestScript, _ bool, args []string) {
		server := ts.Value(key{}).(*poseidontest.Server)
		switch args[0] {
		case "set": // ENVIRONMENT SIZE IDLE USED
			var n [4]int
			for i, arg := range args[1:] {
				var err error
				n[i], err = strconv.Atoi(arg)
				ts.Check(err)
			}
			server.Set(n[0], n[1], n[2], n[3])
		case "lose":
			server.Lose(29)
		case "crash":
			server.Crash()
		case "crowd":
			server.Crowd()
		case "puts": // NUMBER
			if got := strconv.Itoa(server.Puts(29)); got != args[1] {
				ts.Fatalf("%s PUTs, want %s", got, args[1])
			}
		default:
			ts.Fatalf("poseidon %s?", args[0])
		}
	}
}

// hurry lets the stand-in's clock go, a hundred times as fast as this one.
func hurry(ctx context.Context, server *poseidontest.Server) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if server.Pause(ctx, time.Second) != nil {
			return
		}
	}
}
