package sim

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// GroupCounters is what a group of a port holds and has held, in cells. The
// slices of the chip are added up, and so are their peaks, which need not have
// been at the same time; a packet's group is charged in one slice.
type GroupCounters struct {
	Held         mmu.Held
	PeakShared   cells.Count // SAI's SHARED_WATERMARK, in cells
	PeakHeadroom cells.Count // SAI's XOFF_ROOM_WATERMARK
	Paused       bool        // in some slice XOFF was sent last

	// Tally is what it let in and dropped. Its peak is of all accounts together, as
	// they were at one time; PeakShared and PeakHeadroom were perhaps at two.
	Tally fabric.Tally
}

// QueueCounters is what an egress queue holds and has held.
type QueueCounters struct {
	Frames int        // that wait; the one that is being sent is not among them
	Bytes  unit.Bytes // of these
	Cells  cells.Count
	Tally  fabric.Tally // what it sent, dropped and marked
}

// Group returns the counters of a port's group; false if no traffic runs through
// the ASIC, or not through that port.
func (a *ASIC) Group(port string, group int) (c GroupCounters, ok bool) {
	i, ok := a.portNumber(port)
	if !ok || group < 0 || group >= pg.PerPort {
		return c, false
	}
	m := a.attached.mmu()
	c.Tally = a.attached.Sim.GroupTally(a.attached.Node, i*pg.PerPort+group)
	for s := range a.chip.Slices {
		state, peak := m.GroupState(s, i*pg.PerPort+group), m.Watermarks(s, i*pg.PerPort+group)
		h := &c.Held
		h.Reserved += state.Held.Reserved
		h.Port += state.Held.Port
		h.Shared += state.Held.Shared
		h.Headroom += state.Held.Headroom
		h.Global += state.Held.Global
		c.PeakShared += peak.GroupShared
		c.PeakHeadroom += peak.GroupHeadroom
		c.Paused = c.Paused || state.Paused
	}
	return c, true
}

// Queue returns the counters of a port's egress queue; false as Group does.
func (a *ASIC) Queue(port string, queue int) (c QueueCounters, ok bool) {
	i, ok := a.portNumber(port)
	if !ok || queue < 0 || queue >= pg.PerPort {
		return c, false
	}
	c.Frames, c.Bytes = a.attached.Sim.Queue(a.attached.Node, i, queue)
	c.Tally = a.attached.Sim.QueueTally(a.attached.Node, i, queue)
	for s := range a.chip.Slices {
		reserved, shared := a.attached.mmu().QueueState(s, i*pg.PerPort+queue)
		c.Cells += reserved + shared
	}
	return c, true
}

// Counters returns the packet counters of a port; false as Group does.
func (a *ASIC) Counters(port string) (c fabric.PortCounters, ok bool) {
	i, ok := a.portNumber(port)
	if !ok {
		return c, false
	}
	return a.attached.Sim.Counters(fabric.AtSwitch(a.attached.Node, i)), true
}

// ClearWatermarks sets every watermark to what is held now.
func (a *ASIC) ClearWatermarks() {
	if a.attached != nil {
		a.attached.mmu().ClearWatermarks()
		a.attached.Sim.ClearPeaks(a.attached.Node)
	}
}

// portNumber returns the number of a port through which traffic runs.
func (a *ASIC) portNumber(port string) (i int, ok bool) {
	if a.attached == nil {
		return 0, false
	}
	i, ok = a.attached.portNumber[port]
	return i, ok
}
