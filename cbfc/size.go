package cbfc

import (
	"cmp"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Channel is a lossless virtual channel that is to keep its link full.
type Channel struct {
	Link   thresholds.Link
	Memory thresholds.Memory // of the receiver
	// Account counts packets; zero: Native, which is a credit for each cell.
	Account Account
	// Frame is the length of all frames. 0: the one that takes most credits for its time on the link.
	Frame   unit.Bytes
	Updates Updates           // zero: DefaultUpdates
	Delays  thresholds.Delays // of both ends; zero: as for a pause frame, see thresholds.IEEE
	// Stay is how long a frame that waits for nothing stays in the receiver's buffer.
	// Absent: for its own time on the link, because it leaves at the same speed.
	Stay unit.Optional[unit.Time]
	// Reverse is the longest frame of the other direction, whose end a CF_Update
	// waits for. Absent: the link's MTU. 0: the direction is idle.
	Reverse unit.Optional[unit.Bytes]
	Sharing int // virtual channels whose CF_Updates take turns; 0: 1
}

// Sizing is the credits of a virtual channel and the buffer that they need.
type Sizing struct {
	RoundTrip
	Account Account
	Frame   unit.Bytes  // the length of all frames
	Wire    unit.Bytes  // what is under way in the way's time
	Credits Credits     // of the frames under way: the limit that keeps the link full
	Least   Credits     // fewer lose rate for good, see Loop.Least
	Cells   cells.Count // that packets of any length can take with this limit: at most a cell for each credit
	Buffer  unit.Bytes  // these cells
	// Rate is the share of the link's speed with the largest limit that 20 bits hold:
	// 100% if Credits is at most that, otherwise a lower bound.
	Rate unit.Percent
}

// Size returns the smallest credit limit with which the sender never waits
// while the receiver forwards at once. The link's frames have all one length.
func Size(c Channel) (Sizing, error) {
	if err := c.fill(); err != nil {
		return Sizing{}, err
	}
	way, err := RoundTripOf(Answered{Link: c.Link, Frame: c.Frame, Spacing: c.Updates.Least, Turns: c.Sharing,
		Delays: c.Delays, Reverse: c.Reverse, Stay: c.Stay, Name: "CF_Update", Source: "SAI doc/CBFC"})
	if err != nil {
		return Sizing{}, err
	}
	s := Sizing{RoundTrip: way, Account: c.Account, Frame: c.Frame, Wire: unit.InBytes(way.BitTimes), Rate: unit.Whole}
	each := c.Account.Packet(c.Frame)
	s.Credits, s.Least = Credits(way.Frames)*each, Credits(way.Least)*each
	// A credit is at most a cell and the overhead at least the receiver's, so no
	// packet takes more cells than credits. One of a single credit takes one cell.
	s.Cells = cells.Count(s.Credits)
	s.Buffer = c.Memory.Cell.Bytes(s.Cells)
	if s.Credits > MaxLimit {
		allowed := int64(MaxLimit / each)
		carried := exact.Whole(allowed).Times(thresholds.FrameBits(c.Frame), s.BitTimes)
		s.Rate = unit.Percent(carried.Times(int64(unit.Whole), 1).Floor())
	}
	return s, nil
}

// fill puts the defaults in and refuses what no link has.
func (c *Channel) fill() error {
	if err := cmp.Or(c.Link.Validate(), c.Memory.Validate()); err != nil {
		return err
	}
	if c.Account == (Account{}) {
		c.Account = Native(c.Memory)
	}
	if err := c.Account.validateFor(c.Memory); err != nil {
		return err
	}
	if c.Updates == (Updates{}) {
		c.Updates = DefaultUpdates()
	}
	c.Delays = fastest(c.Delays, c.Link)
	if c.Frame == 0 {
		count := thresholds.Memory{Cell: cells.Size(c.Account.Credit), Overhead: c.Account.Overhead}
		c.Frame = thresholds.WorstFrame(count, thresholds.WireBytes, thresholds.MinFrame, c.Link.LosslessMTU)
	}
	var bad fielderr.List
	bad.Join(c.Updates.Validate())
	bad.Check(c.Frame >= thresholds.MinFrame && c.Frame <= c.Link.LosslessMTU, "frame", c.Frame,
		"%v to the lossless MTU, %v", thresholds.MinFrame, c.Link.LosslessMTU)
	bad.Check(c.Stay.Or(0) >= 0 && c.Stay.Or(0) <= thresholds.MaxDelay, "stay", c.Stay, "0ps to %v",
		thresholds.MaxDelay)
	bad.Check(c.Reverse.Or(0) >= 0 && c.Reverse.Or(0) <= c.Link.MTU, "reverse", c.Reverse, "0B to the MTU, %v",
		c.Link.MTU)
	bad.Within("sharing", int64(c.Sharing), 0, MaxChannels)
	return bad.Err()
}
