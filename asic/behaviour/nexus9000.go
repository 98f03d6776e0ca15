package behaviour

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// NoDropBuffer is the configuration of a no-drop class on a Nexus 9000.
type NoDropBuffer struct {
	BufferSize      unit.Bytes // memory of the class on a port
	PauseThreshold  unit.Bytes // the class pauses above it
	ResumeThreshold unit.Bytes // the class resumes at it or below
}

// Group returns a group with this configuration: the cells below the pause
// threshold are reserved, those above it are headroom, and there are no shared
// cells. All sizes are capacities and are rounded down. resume <= pause <=
// buffer-size must hold, and no size may be negative.
func (b NoDropBuffer) Group(cell cells.Size) (mmu.Group, error) {
	if b.ResumeThreshold < 0 || b.ResumeThreshold > b.PauseThreshold || b.PauseThreshold > b.BufferSize {
		return mmu.Group{}, fmt.Errorf(
			"resume-threshold %v, pause-threshold %v, buffer-size %v: none may be above the next, or below 0",
			b.ResumeThreshold, b.PauseThreshold, b.BufferSize)
	}
	if cell <= 0 {
		return mmu.Group{}, errors.New("cell: 0 bytes (accepted: 1 or more)")
	}
	size, pause, resume := cell.Within(b.BufferSize), cell.Within(b.PauseThreshold), cell.Within(b.ResumeThreshold)
	return mmu.Group{Reserved: pause, Limit: thresholds.Static(0), Lossless: true, Headroom: size - pause,
		XON: thresholds.XON{Floor: resume, Offset: pause}}, nil
}
