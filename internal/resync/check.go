package resync

const programName = "resync_prewarm_pool"

func isUnknown(err error) bool { return false }
func isUnsent(err error) bool  { return false }
