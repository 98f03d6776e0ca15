package qos

import (
	"errors"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Expressible tells whether the published models of OpenConfig have a leaf for
// registers of this kind. A kind of switch may have fewer leaves: see package nos.
func Expressible(k buffer.Kind) bool { return plain().Rule(k).Expressible() }

// Missing returns the kinds of registers that have no leaf, with the reason.
func Missing() map[buffer.Kind]string { return plain().Missing() }

// ErrInexpressible says that OpenConfig has no leaf for a value.
var ErrInexpressible = errors.New("openconfig cannot express it")

// maxCell is the most bytes that a cell may have: more than any chip's.
const maxCell = 1 << 20

// AcceptedCells says which sizes of cells ValidateCell accepts.
const AcceptedCells = "1 to 1048576 bytes"

// ValidateCell returns nil, or a *buffer.InvalidError if no chip has cells of this size.
func ValidateCell(cell cells.Size) error {
	var bad fielderr.List
	bad.Check(cell >= 1 && cell <= maxCell, "cell", int64(cell), AcceptedCells)
	return buffer.Invalid(bad)
}
