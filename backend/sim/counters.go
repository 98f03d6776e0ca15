package sim

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// GroupCounters is what a port's group holds now and what it held at most, in cells. Values of the slices are added up.
// Peaks are added up too, though they can be from different times; a packet is charged in one slice.
type GroupCounters struct {
	Held         mmu.Held
	PeakShared   cells.Count // SAI's SHARED_WATERMARK, in cells
	PeakHeadroom cells.Count // SAI's XOFF_ROOM_WATERMARK
	Paused       bool        // the group is paused in at least one slice: XOFF was its last signal

	// Tally counts the packets that the group admitted and dropped. Its peak is that of all accounts at one time, while
	// PeakShared and PeakHeadroom can be from two times.
	Tally fabric.Tally
}

// QueueCounters is what an egress queue holds now and what it has counted.
type QueueCounters struct {
	Frames int          // that wait, without the frame that is being sent
	Bytes  unit.Bytes   // of the waiting frames
	Cells  cells.Count  // of the waiting frames and the one that is being sent
	Tally  fabric.Tally // frames sent, dropped and marked
}

// Group returns the counters of a port's group; false if no traffic runs through the port.
func (a *ASIC) Group(port string, group int) (c GroupCounters, ok bool) {
	i, ok := a.portNumber(port)
	if !ok || group < 0 || group >= pg.PerPort {
		return c, false
	}
	m := a.attached.mmu()
	c.Held = m.Held(i*pg.PerPort + group)
	c.Tally = a.attached.Sim.GroupTally(a.attached.Node, i*pg.PerPort+group)
	for s := range a.chip.Slices {
		state, peak := m.GroupState(s, i*pg.PerPort+group), m.Watermarks(s, i*pg.PerPort+group)
		c.PeakShared += peak.GroupShared
		c.PeakHeadroom += peak.GroupHeadroom
		c.Paused = c.Paused || state.Paused
	}
	return c, true
}

// Queue returns the counters of a port's egress queue; false if no traffic runs through the port.
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

// Counters returns the packet counters of a port; false if no traffic runs through the port.
func (a *ASIC) Counters(port string) (c fabric.PortCounters, ok bool) {
	i, ok := a.portNumber(port)
	if !ok {
		return c, false
	}
	return a.attached.Sim.Counters(fabric.AtSwitch(a.attached.Node, i)), true
}

// portNumber returns the index of a port in the running switch; false if no traffic runs through the port.
func (a *ASIC) portNumber(port string) (i int, ok bool) {
	if a.attached == nil {
		return 0, false
	}
	i, ok = a.attached.portNumber[port]
	return i, ok
}
