package behaviour

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// NoDropBuffer is a no-drop class of a Nexus 9000 in its own words.
type NoDropBuffer struct {
	BufferSize      unit.Bytes // all that the class has on a port
	PauseThreshold  unit.Bytes // above it the class pauses
	ResumeThreshold unit.Bytes // at it or below the class resumes
}

// Group returns the group that behaves so: the cells under the pause threshold
// are reserved, those above it headroom, and there are no shared ones. All are
// capacities and round down. resume <= pause <= buffer-size must hold, and no
// size may be below 0.
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
