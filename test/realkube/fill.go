package realkube

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// FillTarget is the config of the nodes that FillNodes makes: the one that the worker pool of "healthy" wants.
const FillTarget = "rendered-worker-9b27c5d81e4f0a63b2c9d7e8f1045a3c"

// FillNodes makes worker nodes node-00000, node-00001 and so on until there are n of them, each as large as in production (about 22 KB
// of JSON), at FillTarget and ready. They come in addition to what a scenario holds.
func (s *Server) FillNodes(t testing.TB, n int) {
	t.Helper()
	first, err := largeNode(serial("node", 0))
	if err == nil {
		err = s.apply(first)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.multiply(t, []string{"/registry/minions/"}, serial("node", 0), serials("node", n))
}

func serial(kind string, i int) string { return fmt.Sprintf("%s-%05d", kind, i) }

// serials are the names from the second on.
func serials(kind string, n int) (names []string) {
	for i := 1; i < n; i++ {
		names = append(names, serial(kind, i))
	}
	return names
}

// largeNode has what makes a node large in production: the images it holds, and the network's and the CSI drivers' annotations.
func largeNode(name string) (object, error) {
	o, err := node(name, FillTarget, 0)
	if err != nil {
		return nil, err
	}
	var images []any
	for i := range 50 {
		digest := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, i)))
		repository := "quay.example/openshift-release-dev/ocp-v4.0-art-dev"
		images = append(images, object{
			"names":     []any{repository + "@sha256:" + digest, repository + ":4.18.27-x86-64-component-" + digest[:12]},
			"sizeBytes": 300_000_000 + i,
		})
	}
	var volumes []any
	for i := range 12 {
		id := fmt.Sprintf("kubernetes.io/csi/driver.example^%x", sha256.Sum256(fmt.Append(nil, "volume", i)))
		volumes = append(volumes, id)
	}
	return merge(o, object{
		"metadata": object{"annotations": object{
			"csi.volume.kubernetes.io/nodeid":                       `{"driver.example":"` + name + `","files.example":"` + name + `"}`,
			"k8s.ovn.org/l3-gateway-config":                         `{"default":{"mode":"shared","interface-id":"br-ex_` + name + `","mac-address":"00:00:5e:00:53:01","ip-addresses":["192.0.2.10/24"],"next-hops":["192.0.2.1"],"node-port-enable":"true","vlan-id":"0"}}`,
			"k8s.ovn.org/node-subnets":                              `{"default":["198.51.100.0/24"]}`,
			"k8s.ovn.org/host-cidrs":                                `["192.0.2.10/24"]`,
			"k8s.ovn.org/node-gateway-router-lrp-ifaddr":            `{"ipv4":"100.64.0.2/16"}`,
			"machineconfiguration.openshift.io/lastAppliedDrain":    "uncordon-" + FillTarget,
			"cluster.example/hardware-inventory":                    strings.Repeat("0123456789abcdef", 64),
			"volumes.kubernetes.io/keep-terminated-pod-volumes":     "false",
			"machineconfiguration.openshift.io/post-config-action":  "",
			"machineconfiguration.openshift.io/firstPivotConfig":    FillTarget,
			"machineconfiguration.openshift.io/currentImage":        "",
			"machineconfiguration.openshift.io/desiredImage":        "",
			"cloud.network.openshift.io/egress-ipconfig":            `[{"interface":"nic0","ifaddr":{"ipv4":"192.0.2.0/24"},"capacity":{"ip":10}}]`,
			"feature.node.kubernetes.io/extended-resources":         "",
			"network.openshift.io/observed-interface-configuration": strings.Repeat(`{"name":"ens1f0","state":"up","mtu":9000}`, 30),
		}},
		"status": object{"images": images, "volumesInUse": volumes},
	}), nil
}
