package gpu

import "strings"

// role is a DaemonSet's place in the chain by which a node comes to offer GPUs. Each link waits for the one before it.
type role int

const (
	roleAuxiliary role = iota // monitoring, MIG manager, …: nothing waits for it
	roleNFD                   // finds the PCI device and labels the node
	roleDriver
	roleToolkit
	roleValidator
	roleMPS    // shares GPUs: the plugin does not register before it runs
	rolePlugin // registers the resource with the kubelet, or publishes the devices (DRA)
	roleLabels // labels the node with model and count
)

// chain is the order in which a broken link is looked for.
var chain = []role{roleDriver, roleToolkit, roleValidator, roleMPS, rolePlugin}

// roles tell a role by a part of the DaemonSet's name, the first match. They only put causes into order: which DaemonSets
// should run on a node is never told by names.
var roles = []struct {
	part string
	role role
}{
	{"nfd-worker", roleNFD}, {"node-feature-discovery-worker", roleNFD},
	{"exporter", roleAuxiliary}, {"config-manager", roleAuxiliary}, // of AMD's DeviceConfig, whose name begins theirs: it may be "gpu-driver"
	{"mps-control", roleMPS}, {"kubelet-plugin", rolePlugin}, {"dra-driver", rolePlugin}, {"device-plugin", rolePlugin}, {"gpu-plugin", rolePlugin},
	{"vgpu-device-manager", roleAuxiliary},
	{"feature-discovery", roleLabels}, {"node-labeller", roleLabels},
	{"validator", roleValidator}, {"toolkit", roleToolkit}, {"container-runtime", roleToolkit},
	{"driver", roleDriver}, {"vfio-manager", roleDriver}, {"vgpu-manager", roleDriver},
}

func roleOf(name string) role {
	for _, r := range roles {
		if strings.Contains(name, r.part) {
			return r.role
		}
	}
	return roleAuxiliary
}

// essential says whether GPUs depend on the DaemonSet.
func (d *DaemonSet) essential() bool { return d.Role != roleAuxiliary && d.Role != roleLabels }
