package machineconfig

import (
	"context"
	"slices"

	"overdue/internal/kube"
)

// buildObject is a MachineOSBuild.
type buildObject struct {
	conditionedObject
	Spec struct {
		MachineOSConfig struct {
			Name string `json:"name"`
		} `json:"machineOSConfig"`
		MachineConfig struct {
			Name string `json:"name"`
		} `json:"machineConfig"`
	} `json:"spec"`
}

// imageMode reads which pools are in image mode, though none of their nodes may run an image yet, and how far the builds are. Recent
// MCOs tell that in MachineOSBuilds only, older ones in the pools' conditions, so these are brought up to date by those.
func (r reader) imageMode(ctx context.Context, p *Prospect) error {
	configs, err := r.osConfigs(ctx, &p.Snapshot)
	if err != nil || !p.Images.read {
		return err
	}
	var builds []buildObject
	if len(configs) > 0 {
		builds, err = kube.List(ctx, r.client, machineOSBuilds, kube.Query{}, func(o *buildObject) (buildObject, bool) { return *o, true })
		if err != nil {
			p.Images.unbuilt = true
			return r.optional(ctx, err, "whether an OS image is being built is not known")
		}
	}
	for _, pool := range p.Pools {
		for _, told := range []string{condBuildPending, condBuilding, condBuildFailed, condBuildInterrupted, condImageBuildDegraded} {
			delete(pool.Conditions, told)
		}
		i := slices.IndexFunc(configs, func(c osConfigObject) bool { return c.Spec.MachineConfigPool.Name == pool.Name })
		if i < 0 {
			continue
		}
		build := configs[i].build(builds, pool.Target)
		since := Condition{True: true, Since: build.Metadata.CreationTimestamp.Time}
		switch {
		case build.isTrue("Failed"):
			pool.Conditions[condBuildFailed], p.FailedBuilds[pool.Name] = since, build.Metadata.Name
		case build.isTrue("Interrupted"):
			pool.Conditions[condBuildInterrupted], p.FailedBuilds[pool.Name] = since, build.Metadata.Name
		case !build.isTrue("Succeeded") || build.Status.Image != configs[i].Status.CurrentImagePullSpec:
			pool.Conditions[condBuilding] = since
		}
	}
	return nil
}

// build is the one that the MCO goes by (getConfigAndBuild): that which the MachineOSConfig names, if it is of the pool's target, else
// any that is. None: the zero build.
func (c osConfigObject) build(builds []buildObject, target string) buildObject {
	var found buildObject
	for _, b := range builds {
		switch {
		case b.Spec.MachineConfig.Name != target:
		case b.Metadata.Name == c.Metadata.Annotations[group+"/current-machine-os-build"]:
			return b
		case b.Spec.MachineOSConfig.Name == c.Metadata.Name:
			found = b
		}
	}
	return found
}
