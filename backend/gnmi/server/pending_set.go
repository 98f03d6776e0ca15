package server

import (
	"time"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// pendingSet is a Set with the commit extension that waits for its confirmation
// (gnmi-commit-confirmed.md). Every other Set is refused meanwhile. If it is not
// confirmed in time, the configuration from before is applied again. It exists in this
// process only: if the process ends meanwhile, nothing is undone.
type pendingSet struct {
	id       string
	before   *oc.Root // the configuration to return to
	deadline time.Time
	timer    Timer
	round    int  // how often the timer was set; an older timer that fires late is ignored
	expired  bool // the time ran out, and the device refused the rollback
}
