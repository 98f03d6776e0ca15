package qos

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// Decode reads the registers out of an OpenConfig tree: those of the profiles
// that interfaces are bound to. Reserved bytes round up to cells, thresholds
// round down. It returns a *buffer.InvalidError with the paths of all that
// should be a register and cannot be one.
//
// Decode reads for a switch: classifiers and scheduler policies count by whomever
// they were made. A client uses ReadSnapshot.
func Decode(root *oc.Root, cell cells.Size) (buffer.Layout, error) {
	if err := ValidateCell(cell); err != nil {
		return nil, err
	}
	s := newSnapshot(plainOpenConfig(cell))
	s.readForeign = true
	if err := s.read(root); err != nil {
		return nil, err
	}
	return s.Layout(), nil
}
