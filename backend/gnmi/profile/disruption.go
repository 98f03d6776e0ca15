package profile

import (
	"github.com/cellwarden/cellwarden/buffer"
)

// Change is what a change of some kinds of registers does to traffic.
type Change struct {
	Kinds     []buffer.Kind     `json:"-"`
	Registers []string          `json:"registers"` // the names of Kinds
	Reach     buffer.Disruption `json:"-"`
	MayStop   string            `json:"may_stop"` // the name of Reach
	Text      string            `json:"text"`     // for reports
	Evidence
}
