package behaviour

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// SpectrumBuffer is one of the ten headroom buffers of a Spectrum port, as in
// register PBMC. With both thresholds 0 it is lossy.
type SpectrumBuffer struct {
	Size unit.Bytes // of the buffer
	XOFF unit.Bytes // PFC is sent above it
	XON  unit.Bytes // PFC stops below it
}

// Group returns a group with this buffer and a quota of the shared buffer; its minimum there, Reserved, is 0. All sizes
// are capacities and are rounded down to cells. A lossy buffer has no headroom in the model: its packets do not wait,
// they go on or are dropped. A lossless one needs 1 cell <= xon <= xoff + 1 cell, and xoff < size.
func (b SpectrumBuffer) Group(cell cells.Size, quota thresholds.Limit) (mmu.Group, error) {
	if cell <= 0 {
		return mmu.Group{}, errors.New("cell: 0 bytes (want 1 or more)")
	}
	if b.Size < 0 || b.XOFF < 0 || b.XON < 0 {
		return mmu.Group{}, fmt.Errorf("size %v, xoff %v, xon %v: none may be below 0", b.Size, b.XOFF, b.XON)
	}
	if b.XOFF == 0 && b.XON == 0 {
		return mmu.Group{Limit: quota}, nil
	}
	g := mmu.Group{Limit: quota, Lossless: true, Headroom: cell.Within(b.Size),
		Stage: mmu.Stage{XOFF: cell.Within(b.XOFF), XON: cell.Within(b.XON)}}
	if g.Stage.XON == 0 {
		return mmu.Group{}, fmt.Errorf("xon %v: less than a cell of %d bytes never resumes", b.XON, cell)
	}
	return g, g.Validate()
}
