package profile

import (
	"github.com/cellwarden/cellwarden/buffer"
)

// Change is what changing registers does to traffic.
type Change struct {
	Kinds     []buffer.Kind     `json:"-"`
	Registers []string          `json:"registers"`
	Reach     buffer.Disruption `json:"-"`
	MayStop   string            `json:"may_stop"`
	Text      string            `json:"text"`
	Evidence
}
