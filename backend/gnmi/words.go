package gnmi

import "github.com/cellwarden/cellwarden/buffer"

// Missing returns the kinds of registers that OpenConfig has no words for, and
// why.
func Missing() map[buffer.Kind]string { return strict(1).Missing() }

// Carries tells whether OpenConfig has words for registers of this kind.
func Carries(k buffer.Kind) bool { return strict(1).Rule(k).Expressible() }
