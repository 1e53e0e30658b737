package gpu

// Labels and annotations of NVIDIA's operator and its operands. Other vendors' nodes have none of them.
const (
	labelPresent    = "nvidia.com/gpu.present"
	labelProduct    = "nvidia.com/gpu.product"
	productAMD      = "amd.com/gpu.product-name"
	productIntel    = "gpu.intel.com/product"
	labelWorkload   = "nvidia.com/gpu.workload.config"                // container, vm-passthrough, vm-vgpu
	labelMIGConfig  = "nvidia.com/mig.config"                         // the wanted profile
	labelMIGState   = "nvidia.com/mig.config.state"                   // pending, rebooting, success, failed
	labelMIGMode    = "nvidia.com/mig.strategy"                       // single, mixed; absent with none
	labelMIGCapable = "nvidia.com/mig.capable"                        // false: the model cannot be divided
	labelVGPUTypes  = "nvidia.com/vgpu.config"                        // the wanted types of virtual GPU
	labelVGPUState  = "nvidia.com/vgpu.config.state"                  // pending, success, failed
	labelSharing    = "nvidia.com/device-plugin.config"               // the named sharing config
	labelExpected   = "nvsentinel.dgxc.nvidia.com/gpu.count.expected" // NVSentinel's: what nodes of this kind have
	// AMD's: the wanted profile of the device config manager, and the node labeller's word on what it is, as "cpx_nps4".
	labelProfileAMD = "dcm.amd.com/gpu-config-profile"
	labelPartition  = "amd.com/gpu.compute-memory-partition"
	labelOwner      = "nvidia.com/gpu-operator.driver.owner"

	deployPrefix    = "nvidia.com/gpu.deploy." // + operand: "true" selects the node
	deployOperands  = deployPrefix + "operands"
	deployPlugin    = deployPrefix + "device-plugin"
	deployDriver    = deployPrefix + "driver"
	deployToolkit   = deployPrefix + "container-toolkit"
	deployDiscovery = deployPrefix + "gpu-feature-discovery"
	deployDRA       = deployPrefix + "dra-driver"
	preInstalled    = "pre-installed" // value of the driver's deploy label: it is on the host
	pausedMark      = "paused-for-"   // in the value of a deploy label, while driver, MIG or vGPU manager work

	annotationValidation = "nvidia.com/gpu-driver-upgrade-validation-start-time" // epoch seconds
	annotationPodsDone   = "nvidia.com/gpu-driver-upgrade-wait-for-pod-completion-start-time"
	annotationNFDTaints  = "nfd.node.kubernetes.io/taints" // those that NFD set, comma separated

	labelOSTree   = "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION"
	labelInstance = "node.kubernetes.io/instance-type"

	mcoPrefix       = "machineconfiguration.openshift.io/"
	mcoCurrent      = mcoPrefix + "currentConfig"
	mcoDesired      = mcoPrefix + "desiredConfig"
	mcoState        = mcoPrefix + "state"
	mcoWaitingTaint = "UpdateInProgress" // the Machine Config Operator's mark on nodes that wait for their turn
)

// annotations are those that are kept of a node.
var annotations = []string{annotationValidation, annotationPodsDone, annotationNFDTaints, mcoCurrent, mcoDesired, mcoState}

// followed are the labels and annotations of which the time of the last write is kept.
func (p Params) followed() []string {
	return []string{p.UpgradeLabel, labelMIGState, labelVGPUState, deployPlugin, labelPresent, mcoDesired, mcoState}
}
