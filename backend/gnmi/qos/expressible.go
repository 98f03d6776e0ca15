package qos

import (
	"sync"

	"github.com/cellwarden/cellwarden/buffer"
)

// Missing returns the kinds of registers that OpenConfig has no words for, and
// why.
func Missing() map[buffer.Kind]string { return plainOpenConfig(1).Missing() }

// Expressible tells whether OpenConfig has words for registers of this kind.
func Expressible(k buffer.Kind) bool { return carried()[k] }

// carried is made once: who filters a layout asks for every register.
var carried = sync.OnceValue(func() []bool {
	t := plainOpenConfig(1)
	out := make([]bool, len(buffer.Kinds()))
	for _, k := range buffer.Kinds() {
		out[k] = t.Rule(k).Expressible()
	}
	return out
})
