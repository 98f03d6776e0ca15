package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// long is a link of 400G over 10 km, with the cells of Tomahawk 3.
var long = Channel{Link: thresholds.Link{Rate: 400 * unit.Gbps, Cable: 10 * unit.Kilometre, MTU: 9216,
	LosslessMTU: 4096}, Memory: thresholds.Memory{Cell: 254, Overhead: 40}}

// SAI doc/CBFC, step 2a: roundup((size + overhead) / credit size).
func TestCreditsOfAPacket(t *testing.T) {
	for _, c := range []struct {
		account Account
		length  unit.Bytes
		want    Credits
	}{
		{Account{256, 0}, 64, 1}, {Account{256, 0}, 256, 1}, {Account{256, 0}, 257, 2},
		{Account{256, 64}, 192, 1}, {Account{256, 64}, 193, 2},
		{Account{48, -16}, 64, 1}, {Account{48, -16}, 65, 2}, {Account{128, 127}, 9216, 73},
	} {
		require.Equal(t, c.want, c.account.Packet(c.length), "%v of %v", c.length, c.account)
	}
}

// The counters have 20 bits: what is in use stays right when they begin again.
func TestCountersAreCyclic(t *testing.T) {
	s, r := Sender{Limit: MaxLimit}, Receiver{}
	for range 5 {
		require.True(t, s.May(MaxLimit))
		require.False(t, s.May(MaxLimit+1))
		s.Send(MaxLimit - 5)
		r.Arrive(MaxLimit - 5)
		require.EqualValues(t, MaxLimit-5, s.InUse())
		require.EqualValues(t, MaxLimit-5, r.Stored())
		require.True(t, s.May(5))
		require.False(t, s.May(6))
		r.Free(MaxLimit - 5)
		require.EqualValues(t, MaxLimit-5, s.Update(r.Freed))
		require.Zero(t, s.InUse())
	}
	require.Less(t, s.Consumed, Counter(MaxLimit), "it has begun again")
}

// A packet that is lost on the link leaks its credits, until a CC_Update frees them.
func TestCCUpdateRepairs(t *testing.T) {
	s, r := Sender{Limit: 10}, Receiver{}
	s.Send(4) // lost
	s.Send(6)
	r.Arrive(6)
	r.Free(6)
	s.Update(r.Freed)
	require.EqualValues(t, 4, s.InUse(), "leaked")
	require.EqualValues(t, 4, r.Reconcile(s.Consumed))
	require.Zero(t, r.Stored())
	s.Update(r.Freed)
	require.Zero(t, s.InUse())
	require.Zero(t, r.Reconcile(s.Consumed), "a second one frees nothing")
}

// A lost CF_Update is made good by the next one, because it has the whole count.
func TestLostCFUpdate(t *testing.T) {
	s, r := Sender{Limit: 10}, Receiver{}
	s.Send(5)
	r.Arrive(5)
	r.Free(2) // its update is lost
	r.Free(3)
	require.EqualValues(t, 5, s.Update(r.Freed))
}

// Every refusal says what is accepted.
func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*Channel){
		"credit size: 256B (want at most the receiver's cell of 254B": func(c *Channel) {
			c.Account = Account{256, 40}
		},
		"overhead: 39B (want at least the 40B": func(c *Channel) { c.Account = Account{254, 39} },
		"overhead in bytes: 128 (":             func(c *Channel) { c.Account = Account{254, 128} },
		"credit size in bytes: 0":              func(c *Channel) { c.Account = Account{0, 40} },
		"spacing of CF_Updates in bytes, least: 799 (want 800 to": func(c *Channel) {
			c.Updates = Updates{799, defaultMost, defaultTimer}
		},
		"a multiple of 16384B": func(c *Channel) { c.Updates = Updates{800, 16385, defaultTimer} },
		"at least the least":   func(c *Channel) { c.Updates = Updates{16385, 16384, defaultTimer} },
		"whole microseconds":   func(c *Channel) { c.Updates = Updates{800, 16384, 1} },
		"frame: 4097B (want 64B to the lossless MTU, 4096B)": func(c *Channel) { c.Frame = 4097 },
		"reverse: 9217B": func(c *Channel) { c.Reverse = unit.Given[unit.Bytes](9217) },
		"stay: -1ps":     func(c *Channel) { c.Stay = unit.Given[unit.Time](-1) },
		"sharing: 33":    func(c *Channel) { c.Sharing = 33 },
		"MTU":            func(c *Channel) { c.Link.MTU = 0 },
		"cell of 0":      func(c *Channel) { c.Memory.Cell = 0 },
		"no source":      func(c *Channel) { c.Link.Rate = 300 * unit.Gbps },
	} {
		c := long
		change(&c)
		_, err := Size(c)
		require.ErrorContains(t, err, want)
	}
}

// The terms are the way: they add up to its time, and each has a source.
func TestTermsAddUp(t *testing.T) {
	for _, sum := range []thresholds.DelaySum{thresholds.SumOfTexts, thresholds.SumOfEnds, thresholds.LargerSum} {
		for _, rate := range GridRates {
			for _, frame := range []unit.Bytes{0, 64, 1024, 4096} {
				c := long
				c.Link.Rate, c.Frame, c.Delays.Sum = rate, frame, sum
				s, err := Size(c)
				if rate == 3200*unit.Gbps {
					c.Delays.Response = nil
				}
				require.NoError(t, err)
				total := int64(0)
				for _, term := range s.Terms {
					require.NotEmpty(t, term.Source, term.Name)
					total += term.BitTimes
				}
				require.Equal(t, s.BitTimes, total)
				require.LessOrEqual(t, s.Least, s.Credits)
			}
		}
	}
}

// The frame that takes most credits is the default: no other length needs more.
func TestWorstFrame(t *testing.T) {
	c := long
	worst, err := Size(c)
	require.NoError(t, err)
	for c.Frame = 64; c.Frame <= 4096; c.Frame++ {
		s, err := Size(c)
		require.NoError(t, err)
		// The spacing differs by the frame, and whole frames round up.
		require.LessOrEqual(t, s.Credits, worst.Credits+s.Account.Packet(c.Frame)+2, "frames of %v", c.Frame)
	}
	require.EqualValues(t, 64, worst.Frame)
}

// At 3.2T over 100 km more than 2^20 credits of a Tomahawk's cells are under way:
// the counters hold fewer, and the rate says so.
func TestTwentyBitsAreTooFew(t *testing.T) {
	c := long
	c.Link.Rate, c.Link.Cable, c.Frame = 3200*unit.Gbps, 100*unit.Kilometre, 4096
	s, err := Size(c)
	require.NoError(t, err)
	require.Greater(t, s.Credits, MaxLimit)
	require.Equal(t, "63.31%", s.Rate.String())
	c.Link.Cable = 40 * unit.Kilometre
	s, err = Size(c)
	require.NoError(t, err)
	require.Less(t, s.Credits, MaxLimit)
	require.Equal(t, unit.Whole, s.Rate)
}

// Beside PFC: the same link and frames. Credits need about the headroom: they
// wait for the spacing of CF_Updates. PFC needs its headroom twice to stay full.
func TestBesidePFC(t *testing.T) {
	c := long
	c.Frame = 4096
	b, err := Compare(c)
	require.NoError(t, err)
	require.Equal(t, cells.Count(21199), b.Headroom.Cells)
	require.Equal(t, cells.Count(21233), b.Credits.Cells)
	require.Equal(t, 2*b.Headroom.Cells, b.Full())
	require.EqualValues(t, 1248, b.Fibre.Credits)
	require.Equal(t, cells.Count(1248*17), b.Fibre.Cells)
	require.Less(t, b.Fibre.BitTimes, b.Credits.BitTimes, "an R_RDY for each frame waits for no spacing")
	c.Link.Rate = 3200 * unit.Gbps
	_, err = Compare(c)
	require.NoError(t, err, "the response time at this speed is inferred")
}

// Longer cables, shorter spacing, idle directions: each moves the credits the way it has to.
func TestDirections(t *testing.T) {
	of := func(change func(*Channel)) Credits {
		c := long
		c.Frame = 1024
		change(&c)
		s, err := Size(c)
		require.NoError(t, err)
		return s.Credits
	}
	plain := of(func(*Channel) {})
	require.Greater(t, of(func(c *Channel) { c.Link.Cable *= 2 }), plain)
	require.Greater(t, of(func(c *Channel) { c.Updates = Updates{64 * unit.KiB, defaultMost, defaultTimer} }), plain)
	require.Greater(t, of(func(c *Channel) { c.Sharing = 8 }), plain)
	require.Greater(t, of(func(c *Channel) { c.Account = Account{128, 40} }), plain)
	require.Less(t, of(func(c *Channel) { c.Reverse = unit.Given[unit.Bytes](0) }), plain)
	require.Less(t, of(func(c *Channel) { c.Stay = unit.Given[unit.Time](0) }), plain)
	require.Less(t, of(func(c *Channel) { c.Link.LosslessMTU, c.Frame = 9216, 9216 }), plain, "fewer small ones")
}
