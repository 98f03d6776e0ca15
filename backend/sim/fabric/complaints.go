package fabric

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/unit"
)

// complaints collects errors.
type complaints []error

// addf adds a complaint.
func (c *complaints) addf(format string, args ...any) { *c = append(*c, fmt.Errorf(format, args...)) }

// between complains about a number out of range.
func (c *complaints) between(name string, v, low, high int64) {
	if v < low || v > high {
		c.addf("%s %d (accepted: %d to %d)", name, v, low, high)
	}
}

// add adds a part's complaints with the part's path.
func (c *complaints) add(path string, err error) {
	if err != nil {
		c.addf("%s: %w", path, err)
	}
}

// trace complains about bursts out of order or without payload.
func (c *complaints) trace(t []Burst) {
	last := unit.Time(0)
	for i, b := range t {
		if b.At < last {
			c.addf("trace[%d].at %d ps (accepted: %d ps or later)", i, b.At, last)
		}
		c.between(fmt.Sprintf("trace[%d].bytes", i), int64(b.Bytes), 1, int64(clock.Never)/int64(len(t)))
		last = max(last, b.At)
	}
}
