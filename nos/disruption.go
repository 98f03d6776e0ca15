package nos

import (
	"github.com/cellwarden/cellwarden/buffer"
)

// Effect is what a change of some kinds of registers does to traffic.
type Effect struct {
	Kinds     []buffer.Kind     `json:"-"`
	Registers []string          `json:"registers"` // the names of Kinds
	Reach     buffer.Disruption `json:"-"`
	MayStop   string            `json:"may_stop"` // the name of Reach
	Text      string            `json:"text"`     // for reports
	Evidence
}
