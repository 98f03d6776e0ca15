package server

import (
	"time"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// A commit is a Set that has to be confirmed (gnmi-commit-confirmed.md). While
// it waits, every other Set is refused. If nobody confirms it in time, the
// configuration that was there before is brought back to the device. It lives
// in this process: one that ends while a commit waits does not undo it.
type pendingSet struct {
	id       string
	before   *oc.Root // the configuration to go back to
	deadline time.Time
	timer    Timer
	round    int  // how often the timer was set; an older one that rings late is ignored
	expired  bool // the time ran out and the device did not let itself be rolled back
}
