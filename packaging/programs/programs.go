// Package programs lists the suite's programs, for whatever is made of their options: man pages, Icinga's commands. Its test holds
// everything else that has to know them against the folders of cmd/.
package programs

import (
	"overdue/internal/evaluation"
	"overdue/internal/gpu"
	"overdue/internal/machineconfig"
	"overdue/internal/plugin"
	"overdue/internal/prewarm"
	"overdue/internal/resync"
)

// All are the programs. New ones come last: the Director's data fields are numbered in this order.
var All = []plugin.Program{machineconfig.Program, gpu.Program, evaluation.Program, prewarm.Program, resync.Program}
