package qos

import (
	"sync"

	"github.com/cellwarden/cellwarden/buffer"
)

// Expressible tells whether the published models of OpenConfig have a leaf for
// registers of this kind. A kind of switch may have fewer leaves: see package nos.
func Expressible(k buffer.Kind) bool { return expressible()[k] }

// Missing returns the kinds of registers that have no leaf, with the reason.
func Missing() map[buffer.Kind]string { return plainOpenConfig(1).Missing() }

// expressible is computed once, because filtering a layout needs it for every register.
var expressible = sync.OnceValue(func() []bool {
	t := plainOpenConfig(1)
	out := make([]bool, len(buffer.Kinds()))
	for _, k := range buffer.Kinds() {
		out[k] = t.Rule(k).Expressible()
	}
	return out
})
