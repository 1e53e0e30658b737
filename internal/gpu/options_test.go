package gpu

import (
	"strings"
	"testing"
)

func TestCheckOptions(t *testing.T) {
	s := serve(t, incident(t))
	for _, r := range []struct {
		args string
		code int
		says string
	}{
		{"--node wrk-97", 0, "1 GPU node, 4 of 4"},
		{"--node wrk-97 --node wrk-98", 2, "node wrk-98"},
		{"--node wrk-99", 3, "no node is named wrk-99"},
		{"--node a,b", 3, "is no name of a node"},
		{"--ignore-taint ai4dd-a100-reserved", 0, "node wrk-98: 0 nvidia.com/gpu offered, on purpose: taint ai4dd-a100-reserved=true:NoSchedule (--ignore-taint)"},
		{"--ignore-taint nvidia.com/gpu.product", 2, "node wrk-98: 0 nvidia.com/gpu offered"},
		{"--ignore-taint ai4dd-a100-reserved=true:NoSchedule", 0, "on purpose"},
		{"--vendor ati", 3, "amd, gaudi, intel, nvidia"},
		{"--vendor amd", 3, "has no GPU node"},
		{"--vendor amd --selector nvidia.com/gpu.present --resource nvidia.com/gpu --require-label none", 2, "node wrk-98: 0 nvidia.com/gpu offered"},
		{"--selector kubernetes.io/hostname=wrk-97", 0, "1 GPU node, 4 of 4"},
		{"--node Wrk_98", 3, "--node \"Wrk_98\" is no name of a node"},
		{"--node wrk-97 --node wrk-97", 0, "1 GPU node, 4 of 4"},
		{"--namespace a/b", 3, "--namespace \"a/b\" is no name of a namespace"},
		{"--namespace=", 3, "--namespace \"\" is no name of a namespace"},
		{"--grace -5m", 3, "--grace"},
		{"--selector a=b=c", 3, "--selector \"a=b=c\" is no label selector"},
		{"--expect-selector x,", 3, "--expect-selector \"x,\" is no label selector"},
		{"--node wrk-97 --expect 8", 1, "4 of 8 nvidia.com/gpu"},
		{"--node wrk-97 --expect 8 -c 3", 2, "4 of 8 nvidia.com/gpu"},
		{"--expect -1", 3, "must not be negative"},
		{"--expect 1000001", 3, "--expect 1000001: no node has more than 1000000"},
		{"--require-label rack=5", 3, `--require-label "rack=5" is no label's key`},
		{"--require-label none --require-label rack", 3, "--require-label none stands alone"},
		{"--count-label a/b/c", 3, `--count-label "a/b/c" is no label's key`},
		{"--replicas-label -x", 3, `--replicas-label "-x" is no label's key`},
		{"--upgrade-label a=b", 3, `--upgrade-label "a=b" is no label's key`},
		{"--dra-driver a,b", 3, `--dra-driver "a,b" is no driver's name`},
		{"--node wrk-97 --require-label rack", 1, "label rack"},
		{"--grace 5x", 3, "--grace"},
		{"--max-cordon 5x", 3, "--max-cordon"},
		{"wrk-98", 3, "wrk-98"},
	} {
		out, code := run(t, s, strings.Fields(r.args)...)
		if code != r.code || !strings.Contains(out, r.says) {
			t.Errorf("%s: exit %d, want %d with %q:\n%s", r.args, code, r.code, r.says, out)
		}
	}
}

// What can match nothing, or means something else than it seems to, is wrong use: said in one line, with the value and what is valid.
func TestCheckRefusesNonsense(t *testing.T) {
	const (
		resource = "write it as nvidia.com/gpu or nvidia.com/mig-*"
		taint    = "write it as key, key=value or key=value:NoSchedule"
		label    = "write it as nvidia.com/gpu.product"
		selector = "write it as key, key=value or 'key in (a,b)'"
	)
	s := serve(t, incident(t))
	for _, r := range []struct{ flag, value, says string }{
		{"--resource", "", `--resource "" is no resource with a domain; ` + resource},
		{"--resource", " ", `--resource " " is no resource with a domain; ` + resource},
		{"--resource", "gpu", `--resource "gpu" is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/", `--resource "nvidia.com/" is no resource with a domain; ` + resource},
		{"--resource", "/gpu", `--resource "/gpu" is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/gpu/shared", `--resource "nvidia.com/gpu/shared" is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/gpu ", `--resource "nvidia.com/gpu " is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/g pu*", `--resource "nvidia.com/g pu*" is no resource with a domain; ` + resource},
		{"--resource", "*/gpu", `--resource "*/gpu" has a wildcard in its domain; ` + resource},
		{"--resource", "*.com/gpu", `--resource "*.com/gpu" has a wildcard in its domain; ` + resource},
		{"--resource", "nvidia.com/[", `--resource "nvidia.com/[" is no glob; ` + resource},
		{"--resource", "nvidia.com/gpu-", `--resource "nvidia.com/gpu-" is no resource with a domain; ` + resource},
		{"--resource", "nvidia.com/" + strings.Repeat("g", 64), `is no resource with a domain; ` + resource},
		{"--ignore-taint", "", `--ignore-taint "": "" is no taint's key; ` + taint},
		{"--ignore-taint", "=x", `--ignore-taint "=x": "" is no taint's key; ` + taint},
		{"--ignore-taint", "a b", `--ignore-taint "a b": "a b" is no taint's key; ` + taint},
		{"--ignore-taint", "ai4dd-*", `--ignore-taint "ai4dd-*": "ai4dd-*" is no taint's key; ` + taint},
		{"--ignore-taint", "a/b/c:NoSchedule", `--ignore-taint "a/b/c:NoSchedule": "a/b/c" is no taint's key; ` + taint},
		{"--ignore-taint", "a=b c", `--ignore-taint "a=b c": "b c" is no taint's value; ` + taint},
		{"--ignore-taint", "a=*", `--ignore-taint "a=*": "*" is no taint's value; ` + taint},
		{"--ignore-taint", "a:", `--ignore-taint "a:": "" is no effect: there are NoSchedule, PreferNoSchedule and NoExecute`},
		{"--ignore-taint", "a:Sometimes", `--ignore-taint "a:Sometimes": "Sometimes" is no effect: there are NoSchedule, PreferNoSchedule and NoExecute`},
		{"--ignore-taint", "a:NoSchedul", `--ignore-taint "a:NoSchedul": "NoSchedul" is no effect; did you mean NoSchedule?`},
		{"--ignore-taint", "a=b:noexecute", `--ignore-taint "a=b:noexecute": "noexecute" is no effect; did you mean NoExecute?`},
		{"--ignore-taint", "a:NoSchedule-", `--ignore-taint "a:NoSchedule-": "NoSchedule-" is no effect; did you mean NoSchedule?`},
		{"--ignore-taint", "a=b:NoSchedule:NoExecute", `is no effect`},
		{"--require-label", "", `--require-label "" is no label's key; ` + label},
		{"--require-label", "gpu model", `--require-label "gpu model" is no label's key; ` + label},
		{"--require-label", "nvidia.com/*", `--require-label "nvidia.com/*" is no label's key; ` + label},
		{"--count-label", "", `--count-label "" is no label's key; ` + label},
		{"--replicas-label", "", `--replicas-label "" is no label's key; ` + label},
		{"--upgrade-label", "", `--upgrade-label "" is no label's key; ` + label},
		{"--dra-driver", "", `--dra-driver "" is no driver's name; write it as gpu.nvidia.com`},
		{"--dra-driver", "gpu.*", `--dra-driver "gpu.*" is no driver's name; write it as gpu.nvidia.com`},
		{"--selector", "", `--selector "" is no label selector; ` + selector},
		{"--selector", " ", `--selector " " is no label selector; ` + selector},
		{"--selector", "nvidia.com/*", `--selector "nvidia.com/*" is no label selector; ` + selector},
		{"--selector", "a b", `--selector "a b" is no label selector; ` + selector},
		{"--selector", "type=a100*", `--selector "type=a100*" is no label selector; ` + selector},
		{"--selector", "type in ()", `--selector "type in ()" is no label selector; ` + selector},
		{"--expect-selector", "", `--expect-selector "" is no label selector; ` + selector},
		{"--expect-selector", "type notin ( )", `--expect-selector "type notin ( )" is no label selector; ` + selector},
		{"--node", "", `--node "" is no name of a node`},
		{"--node", "wrk-*", `--node "wrk-*" is no name of a node`},
		{"--namespace", "gpu-*", `--namespace "gpu-*" is no name of a namespace`},
		{"--vendor", "", `--vendor "": there are amd, gaudi, intel, nvidia`},
	} {
		out, code := run(t, s, r.flag, r.value)
		if code != 3 || !strings.Contains(firstLine(out), r.says) {
			t.Errorf("%s %q: exit %d, want 3 with %q:\n%s", r.flag, r.value, code, r.says, out)
		}
	}
	if asked := s.Requests(); len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
}

// Every preset is made of parameters, each of which has an option: given one by one they do the same.
func TestPresetsAreOptions(t *testing.T) {
	for name, p := range vendors {
		args := []string{"--vendor", "gaudi"}
		for _, o := range []struct {
			flag   string
			values []string
		}{{"--resource", p.Resources}, {"--selector", p.Selectors}, {"--require-label", p.RequireLabels}, {"--count-label", one(p.CountLabel)},
			{"--replicas-label", one(p.ReplicasLabel)}, {"--upgrade-label", one(p.UpgradeLabel)}, {"--dra-driver", one(p.Driver)}} {
			for _, value := range o.values {
				args = append(args, o.flag, value)
			}
		}
		s := serve(t, incident(t))
		preset, _ := run(t, s, "--vendor", name)
		given, _ := run(t, s, args...)
		if preset != given {
			t.Errorf("--vendor %s:\n%s\n%q:\n%s", name, preset, args, given)
		}
	}
}

func one(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
