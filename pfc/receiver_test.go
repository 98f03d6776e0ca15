package pfc_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

const none pfc.Priorities = 0

func receiver(t testing.TB, c pfc.Config) pfc.Receiver {
	r, err := pfc.NewReceiver(c)
	require.NoError(t, err)
	return r
}

// One quantum at 40G is 12.8 ns; 100 of them are 1.28 us.
func TestReceiverRules(t *testing.T) {
	const us = unit.Microsecond
	type step struct {
		at          unit.Time
		frame       pfc.Frame
		stop, start pfc.Priorities
		next        unit.Time // 0: no timer runs
	}
	x := func(quanta uint16, priorities ...int) pfc.Frame { return pfc.Stop(port, pfc.Of(priorities...), quanta) }
	for name, steps := range map[string][]step{
		"the first pause stops and starts the timer": {{0, x(100, 3), pfc.Of(3), none, 1280000}},
		"a pause while paused loads the timer": {
			{0, x(100, 3), pfc.Of(3), none, 1280000},
			{us, x(200, 3), none, none, us + 2560000},
			{2 * us, x(1, 3), none, none, 2*us + 12800}},
		"zero lets it run out now": {
			{0, x(100, 3, 4), pfc.Of(3, 4), none, 1280000},
			{us, x(0, 3), none, pfc.Of(3), 1280000}},
		"zero while not paused": {{0, x(0, 3), none, none, 0}},
		"a timer that ran out unnoticed": {
			{0, x(100, 3), pfc.Of(3), none, 1280000},
			{2 * us, x(0, 5), none, pfc.Of(3), 0}},
		"stopped again before anybody noticed": {
			{0, x(100, 3), pfc.Of(3), none, 1280000},
			{2 * us, x(100, 3), none, none, 2*us + 1280000}},
		"a priority without PFC": {{0, x(100, 5), none, none, 0}, {1, x(100, 3, 5), pfc.Of(3), none, 1280001}},
		"the bit off": {
			{0, x(100, 3), pfc.Of(3), none, 1280000},
			{us, pfc.Frame{Enabled: pfc.Of(4), Quanta: [8]uint16{3: 9, 4: 10}}, pfc.Of(4), none, us + 128000}},
		"the vector zero, the times not": {{0, pfc.Frame{Quanta: [8]uint16{9, 9, 9, 9, 9, 9, 9, 9}}, none, none, 0}},
		"one stops as another starts": {
			{0, x(100, 3), pfc.Of(3), none, 1280000},
			{us, pfc.Frame{Enabled: pfc.Of(3, 4), Quanta: [8]uint16{4: 100}}, pfc.Of(4), pfc.Of(3), us + 1280000}},
	} {
		t.Run(name, func(t *testing.T) {
			r := receiver(t, pfc.Config{Rate: 40 * unit.Gbps, Enabled: pfc.Of(3, 4)})
			for i, s := range steps {
				stop, start := r.Receive(s.at, s.frame)
				require.Equal(t, s.stop, stop, "step %d stops", i)
				require.Equal(t, s.start, start, "step %d starts", i)
				next, ok := r.NextExpiry()
				require.Equal(t, s.next, next, "step %d", i)
				require.Equal(t, s.next != 0, ok)
			}
		})
	}
}

// One picosecond before the pause expires the priority is paused; at that time it is not.
func TestReceiverRunsOut(t *testing.T) {
	r := receiver(t, pfc.Config{Rate: 40 * unit.Gbps, Enabled: pfc.All})
	r.Receive(7, pfc.Stop(port, pfc.Of(3), pfc.MaxQuanta))
	until, ok := r.Until(3)
	require.True(t, ok)
	require.Equal(t, 838_848*unit.Nanosecond+7, until)
	require.True(t, r.Paused(until-1, 3))
	require.False(t, r.Paused(until, 3))
	require.Equal(t, none, r.Expire(until-1))
	require.Equal(t, pfc.Of(3), r.Expire(until))
	require.Equal(t, none, r.Expire(until), "told once")
	for _, p := range []int{-1, 8, 2} {
		_, ok := r.Until(p)
		require.False(t, ok)
		require.False(t, r.Paused(0, p))
	}
}

func TestReceiverOfLinkPause(t *testing.T) {
	pause := pfc.LinkPause{Source: port, Quanta: 100}
	llfc := receiver(t, pfc.Config{Rate: 40 * unit.Gbps, Link: pfc.LinkObeyed})
	stop, start := llfc.ReceiveLink(0, pause)
	require.Equal(t, pfc.All, stop, "everything stops")
	require.Equal(t, none, start)
	stop, _ = llfc.Receive(1, pfc.Stop(port, pfc.All, 0))
	require.Equal(t, none, stop)
	require.True(t, llfc.Paused(1, 0), "a PFC frame means nothing there")
	_, start = llfc.ReceiveLink(2, pfc.LinkPause{})
	require.Equal(t, pfc.All, start)

	priority := receiver(t, pfc.Config{Rate: 40 * unit.Gbps, Enabled: pfc.Of(3)})
	stop, _ = priority.ReceiveLink(0, pause)
	require.Equal(t, none, stop, "ignored on a link with PFC")
}

// Both kinds of pause at once, which the standard does not have: a priority
// resumes when neither its own timer nor the link's timer runs.
func TestReceiverOfBoth(t *testing.T) {
	r := receiver(t, pfc.Config{Rate: 40 * unit.Gbps, Enabled: pfc.Of(3, 4), Link: pfc.LinkBesidePFC})
	r.Receive(0, pfc.Stop(port, pfc.Of(3), 300))
	r.Receive(0, pfc.Stop(port, pfc.Of(4), 100))
	stop, _ := r.ReceiveLink(0, pfc.LinkPause{Quanta: 200})
	require.Equal(t, pfc.All&^pfc.Of(3, 4), stop)
	for _, want := range []struct {
		at    unit.Time
		start pfc.Priorities
	}{{1280000, none}, {2560000, pfc.All &^ pfc.Of(3)}, {3840000, pfc.Of(3)}} {
		at, ok := r.NextExpiry()
		require.True(t, ok)
		require.Equal(t, want.at, at)
		require.Equal(t, want.start, r.Expire(at))
	}
	r.Receive(0, pfc.Stop(port, pfc.Of(3), 300))
	require.Equal(t, pfc.Of(3), r.Reset())
	require.Equal(t, none, r.Reset())
}

func TestReceiverEdges(t *testing.T) {
	var zero pfc.Receiver
	stop, start := zero.Receive(5, pfc.Stop(port, pfc.All, 9))
	require.Equal(t, none, stop|start)
	stop, start = zero.ReceiveLink(5, pfc.LinkPause{Quanta: 9})
	require.Equal(t, none, stop|start, "the zero value obeys nothing")

	r := receiver(t, pfc.Config{Rate: unit.Gbps, Enabled: pfc.All})
	r.Receive(math.MaxInt64-1, pfc.Stop(port, pfc.Of(0), 9))
	require.True(t, r.Paused(math.MaxInt64-1, 0), "the end of time does not wrap")

	copied := r
	copied.Reset()
	require.True(t, r.Paused(math.MaxInt64-1, 0), "a copy is a receiver of its own")
}

func TestReceiverConfigRefusals(t *testing.T) {
	for _, c := range []struct {
		config pfc.Config
		says   []string
	}{
		{pfc.Config{Enabled: 1}, []string{"rate: 0b/s is not the rate of a link (want more than 0)"}},
		{pfc.Config{Rate: -1}, []string{"rate: -1b/s"}},
		{pfc.Config{Rate: unit.Gbps, Enabled: pfc.Of(3), Link: pfc.LinkObeyed}, []string{
			"link: PAUSE is obeyed on a link with PFC for 3, against"}},
		{pfc.Config{Link: 9}, []string{"rate: ", "link: 9 is not a rule"}},
	} {
		_, err := pfc.NewReceiver(c.config)
		for _, s := range c.says {
			require.ErrorContains(t, err, s)
		}
	}
	for _, c := range []pfc.Config{{}, {Rate: unit.Gbps}, {Rate: 1, Link: pfc.LinkObeyed},
		{Rate: 1, Enabled: 1, Link: pfc.LinkBesidePFC}} {
		require.NoError(t, c.Validate())
	}
}

// heard is one thing that happened to the slow model's receiver.
type heard struct {
	at    unit.Time
	frame pfc.Frame
	link  *pfc.LinkPause
	reset bool
}

// slowReceiver keeps all that it ever heard and works everything out from that.
type slowReceiver struct {
	config pfc.Config
	log    []heard
	told   pfc.Priorities
}

// holds returns until when a priority is held by frames of its own or by the
// link's, as picoseconds; nil if not, or no longer at the given time.
func (s *slowReceiver) holds(now unit.Time, priority int, link bool) (until *big.Int) {
	for _, h := range s.log {
		quanta, meant := h.frame.Quanta[priority], h.link == nil && h.frame.Enabled.Has(priority) &&
			s.config.Enabled.Has(priority)
		if link {
			meant = h.link != nil && s.config.Link != pfc.LinkIgnored
			if meant {
				quanta = h.link.Quanta
			}
		}
		switch {
		case h.reset || meant && quanta == 0:
			until = nil
		case meant:
			// quanta * 512 bits * 10^12 ps / rate, rounded up
			rate := big.NewInt(int64(s.config.Rate))
			until = new(big.Int).Mul(big.NewInt(int64(quanta)*512), big.NewInt(1_000_000_000_000))
			until.Add(until, rate).Sub(until, big.NewInt(1)).Div(until, rate)
			until.Add(until, big.NewInt(int64(h.at)))
		}
	}
	if until != nil && until.Cmp(big.NewInt(int64(now))) <= 0 {
		return nil
	}
	return until
}

func (s *slowReceiver) paused(now unit.Time) (set pfc.Priorities) {
	for p := range pfc.PerLink {
		if s.holds(now, p, false) != nil || s.holds(now, p, true) != nil {
			set |= pfc.Of(p)
		}
	}
	return set
}

func (s *slowReceiver) tell(now unit.Time) (stop, start pfc.Priorities) {
	is := s.paused(now)
	stop, start = is&^s.told, s.told&^is
	s.told = is
	return stop, start
}

func (s *slowReceiver) next(now unit.Time) (at unit.Time, ok bool) {
	for p := range pfc.PerLink {
		for _, link := range []bool{false, true} {
			if until := s.holds(now, p, link); until != nil && (!ok || until.Int64() < int64(at)) {
				at, ok = unit.Time(until.Int64()), true
			}
		}
	}
	return at, ok
}

// The receiver is compared with one that stores every frame. Each operation has
// four bytes: the kind, the time, and two for the frame.
func FuzzReceiver(f *testing.F) {
	// pause, run out
	f.Add(byte(1), byte(0xff), byte(0), []byte{0, 1, 8, 255, 3, 0, 0, 0, 3, 0, 0, 0})
	// pause, load, resume
	f.Add(byte(1), byte(0xff), byte(0), []byte{0, 1, 8, 2, 0, 1, 8, 3, 0, 1, 8, 0})
	// not enabled, link ignored
	f.Add(byte(0), byte(0x18), byte(0), []byte{0, 1, 0xff, 9, 1, 1, 0, 9, 2, 255, 0, 0})
	f.Add(byte(2), byte(0), byte(1), []byte{1, 1, 0, 9, 0, 1, 8, 0, 3, 0, 0, 0, 3, 0, 0, 0}) // LLFC
	// both, reset
	f.Add(byte(3), byte(0x18), byte(2), []byte{0, 1, 8, 200, 0, 1, 16, 4, 1, 1, 0, 90, 3, 0, 0, 0, 4, 0, 0, 0})
	// an odd rate
	f.Add(byte(4), byte(0xff), byte(0), []byte{0, 255, 1, 255, 0, 255, 2, 1, 3, 0, 0, 0, 0, 0, 3, 1})
	rates := []unit.BitRate{10 * unit.Gbps, 40 * unit.Gbps, 400 * unit.Gbps, 1600 * unit.Gbps, 7_777_777_777}
	f.Fuzz(func(t *testing.T, rate, enabled, rule byte, ops []byte) {
		c := pfc.Config{Rate: rates[int(rate)%len(rates)], Enabled: pfc.Priorities(enabled),
			Link: pfc.LinkRule(rule % 3)}
		fast, err := pfc.NewReceiver(c)
		if err != nil {
			return
		}
		slow, now := slowReceiver{config: c}, unit.Time(0)
		for ; len(ops) >= 4 && len(slow.log) < 64; ops = ops[4:] {
			now += unit.Time(ops[1]) * 12800
			quanta := uint16(ops[3]) * uint16(1+ops[1])
			var stop, start, wantStop, wantStart pfc.Priorities
			switch ops[0] % 5 {
			case 0:
				frame := pfc.Stop(port, pfc.Priorities(ops[2]), quanta)
				frame.Quanta[ops[3]%8] = uint16(ops[1])
				stop, start = fast.Receive(now, frame)
				slow.log = append(slow.log, heard{at: now, frame: frame})
			case 1:
				pause := pfc.LinkPause{Quanta: quanta}
				stop, start = fast.ReceiveLink(now, pause)
				slow.log = append(slow.log, heard{at: now, link: &pause})
			case 2: // only time passes, and nobody looks
				requireSame(t, &fast, &slow, now)
				continue
			case 3:
				if at, ok := fast.NextExpiry(); ok && at > now {
					now = at
				}
				start = fast.Expire(now)
			case 4:
				start = fast.Reset()
				slow.log = append(slow.log, heard{at: now, reset: true})
			}
			wantStop, wantStart = slow.tell(now)
			require.Equal(t, wantStop, stop, "stop at %v", now)
			require.Equal(t, wantStart, start, "start at %v", now)
			requireSame(t, &fast, &slow, now)
			wantAt, wantOK := slow.next(now)
			at, ok := fast.NextExpiry()
			require.Equal(t, wantOK, ok)
			require.Equal(t, wantAt, at)
		}
	})
}

func requireSame(t *testing.T, fast *pfc.Receiver, slow *slowReceiver, now unit.Time) {
	t.Helper()
	want := slow.paused(now)
	for p := range pfc.PerLink {
		require.Equal(t, want.Has(p), fast.Paused(now, p), "priority %d at %v", p, now)
		if until, ok := fast.Until(p); want.Has(p) {
			own, link := slow.holds(now, p, false), slow.holds(now, p, true)
			require.True(t, ok)
			require.True(t, own != nil && own.Int64() == int64(until) || link != nil && link.Int64() == int64(until))
			require.True(t, (own == nil || own.Int64() <= int64(until)) &&
				(link == nil || link.Int64() <= int64(until)))
		}
	}
}
