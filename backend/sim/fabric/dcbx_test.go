package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// speaks returns the DCBX of a port whose address ends in a number.
func speaks(number int, willing bool, mode dcbx.Mode) *DCBX {
	return &DCBX{Settings: dcbx.Settings{Address: pfc.Address{2, 0, 0, 0, byte(number >> 8), byte(number)},
		Name: dcbx.Neighbour{Chassis: dcbx.ID{Subtype: dcbx.LocallyAssigned, Value: fmt.Sprint("node", number)},
			Port: dcbx.ID{Subtype: dcbx.PortInterface, Value: "p"}},
		Mode: mode, WithoutETS: true, ETS: dcbx.ETSConfiguration{MaxTCs: dcbx.MaxClasses},
		PFC: dcbx.PFC{Willing: willing, Capability: dcbx.MaxClasses}}}
}

// disagreeing is two senders and a receiver at a switch with PFC for priority 3. The senders have no PFC, and begin to
// speak DCBX at a time; the switch decides.
func disagreeing(start unit.Time, mode dcbx.Mode) Network {
	net := incast(2, 0)
	net.Switches[0].MMU.Pools[0].Shared = 600
	for i := range net.Hosts {
		net.Hosts[i].DCBX, net.Switches[0].Ports[i].DCBX = speaks(i, true, mode), speaks(16+i, false, mode)
		net.Hosts[i].DCBX.Start = start
		if i < 2 {
			net.Hosts[i].PFC = 0
		}
	}
	return net
}

// Ends that disagree lose frames, until the hosts have taken over the PFC of the switch: from then on the switch's
// pauses are obeyed, and no counter of drops grows. It is so by both versions of DCBX. The host does not know of a
// pause that the switch sent before: it obeys the next repetition, which comes within half of a pause time.
func TestDCBXEndsTheLoss(t *testing.T) {
	for _, mode := range []dcbx.Mode{dcbx.OnlyIEEE, dcbx.OnlyCEE} {
		const start = 300 * unit.Microsecond
		s := started(t, disagreeing(start, mode))
		s.Run(unit.Millisecond)
		require.NoError(t, s.Check())
		for i := range 2 {
			at := AtSwitch(0, i)
			c := s.Counters(at)
			require.Greater(t, c.Drops[3], int64(1000))
			repeated := pfc.Duration(pfc.MaxQuanta, 100*unit.Gbps) / 2
			require.Less(t, c.LastDrop[3], start+repeated+20*unit.Microsecond, "mode %v", mode)
			require.Greater(t, s.PausedTime(AtHost(i), 3), 200*unit.Microsecond)
			host, ok := s.DCBX(AtHost(i))
			require.True(t, ok)
			require.Equal(t, pfc.Of(3), host.PFC)
			last := host.Changes[len(host.Changes)-1]
			require.Equal(t, pfc.Of(3), last.PFC)
			require.EqualValues(t, "the port is willing and the neighbour is not", last.Reason)
			require.Less(t, last.At, start+20*unit.Microsecond)
			require.Greater(t, c.LastDrop[3], start-unit.Microsecond, "frames are lost until then")
		}
		never := started(t, disagreeing(lastTime, mode))
		never.Run(unit.Millisecond)
		c := never.Counters(AtSwitch(0, 0))
		require.Greater(t, c.LastDrop[3], 990*unit.Microsecond, "without negotiation the loss goes on")
	}
}

// An LLDP frame is on the link for the time of its bytes and the delay, takes effect after the processing time, and
// goes behind a frame that is being sent.
func TestLLDPTakesItsTime(t *testing.T) {
	net := disagreeing(10*unit.Microsecond, dcbx.OnlyIEEE)
	net.Flows = nil
	net.Switches[0].Ports[0].DCBX.Processing = 5 * unit.Microsecond
	s := started(t, net)
	var sent, heard *Event
	s.Observe(func(e *Event) {
		switch {
		case e.Kind == LLDPSent && e.Where == AtHost(0) && sent == nil:
			sent = new(*e)
		case e.Kind == LLDPHeard && e.Where == AtSwitch(0, 0) && heard == nil:
			heard = new(*e)
		}
	})
	s.Run(100 * unit.Microsecond)
	require.Equal(t, 10*unit.Microsecond, sent.At)
	require.Equal(t, "lldp", sent.FrameKind)
	wire, err := sent.LLDP.AppendTo(nil)
	require.NoError(t, err)
	require.Equal(t, unit.Bytes(len(wire)+4), sent.Bytes)
	onWire := (100 * unit.Gbps).TimeFor(8 * (int64(sent.Bytes) + 20))
	require.Equal(t, sent.At+onWire+unit.Microsecond+5*unit.Microsecond, heard.At)
	ad := dcbx.Read(&heard.LLDP.PDU)
	require.NotNil(t, ad.PFC)
	require.Nil(t, ad.ETS)
}

// A neighbour that is silent for its time to live is forgotten, and a port that took over its PFC has its own again:
// here, a link that fails for longer.
func TestDCBXForgetsASilentNeighbour(t *testing.T) {
	net := disagreeing(0, dcbx.OnlyIEEE)
	net.Flows = nil
	net.Failures = []Failure{{Kind: LinkDown, At: 40 * unit.Second, Until: 200 * unit.Second, Link: 0}}
	s := started(t, net)
	in := func(at unit.Time) pfc.Priorities {
		s.Run(at)
		d, _ := s.DCBX(AtHost(0))
		return d.PFC
	}
	require.Equal(t, pfc.Of(3), in(39*unit.Second))
	require.Equal(t, pfc.Of(3), in(120*unit.Second), "until the time to live is over")
	require.Equal(t, pfc.Priorities(0), in(170*unit.Second))
	require.Equal(t, pfc.Of(3), in(240*unit.Second), "the link is up again")
}

// An operator who changes the PFC of a port that speaks DCBX changes that of its willing neighbour.
func TestSetPFCIsNegotiated(t *testing.T) {
	s := started(t, disagreeing(0, dcbx.OnlyIEEE))
	s.Advance(200 * unit.Microsecond)
	require.NoError(t, s.SetPFC(0, 0, pfc.Of(3, 5)))
	s.Advance(300 * unit.Microsecond)
	d, _ := s.DCBX(AtHost(0))
	require.Equal(t, pfc.Of(3, 5), d.PFC)
	require.ErrorContains(t, func() error {
		net := disagreeing(0, dcbx.OnlyIEEE)
		net.Switches[0].Ports[0].DCBX.Settings.PFC.Capability = 1
		return started(t, net).SetPFC(0, 0, pfc.Of(3, 5))
	}(), "pfc.enabled")
}

// The time of the last change is known, also where a port has had more changes than are kept.
func TestLastChangeIsKnown(t *testing.T) {
	net := disagreeing(0, dcbx.OnlyIEEE)
	net.Flows = nil
	s := started(t, net)
	at := 2 * unit.Second
	s.Advance(at)
	for i := range maxDCBXChanges + 6 {
		at += 2 * unit.Second
		require.NoError(t, s.SetPFC(0, 0, []pfc.Priorities{pfc.Of(3, 5), pfc.Of(3)}[i%2]))
		s.Advance(at)
	}
	d, _ := s.DCBX(AtHost(0))
	require.Len(t, d.Changes, maxDCBXChanges)
	require.Greater(t, d.Changed, int64(maxDCBXChanges))
	require.Greater(t, d.ChangedAt, at-2*unit.Second, "the last change came after the last request")
	require.Less(t, d.Changes[maxDCBXChanges-1].At, at-10*unit.Second)
}

// A pause of a priority that keeps PFC is obeyed on when another priority gains or loses it.
func TestOtherPrioritiesStayPaused(t *testing.T) {
	s := started(t, disagreeing(0, dcbx.OnlyIEEE))
	s.Advance(200 * unit.Microsecond)
	for at := s.Now(); s.ports[0].pausing.held != pfc.Of(3); at += 100 * unit.Nanosecond {
		s.Advance(at)
	}
	require.NoError(t, s.parts[0].setPFC(0, pfc.Of(3, 5)))
	require.Equal(t, pfc.Of(3), s.ports[0].pausing.held)
	require.NoError(t, s.parts[0].setPFC(0, pfc.Of(5)))
	require.Zero(t, s.ports[0].pausing.held)
	require.NoError(t, s.Check())
}

// What cannot speak DCBX is refused, with its path.
func TestDCBXThatIsRefused(t *testing.T) {
	for want, change := range map[string]func(n *Network){
		"hosts[0].dcbx.pfc.capability": func(n *Network) { n.Hosts[0].DCBX.Settings.PFC.Capability = 9 },
		"switches[0].ports[0].dcbx.pfc.enabled": func(n *Network) {
			n.Switches[0].Ports[0].DCBX.Settings.PFC.Capability = 0
		},
		"switches[0].ports[1].dcbx: with 802.3x PAUSE": func(n *Network) { n.Switches[0].LinkPause = true },
		"hosts[1].dcbx: 802.3x PAUSE is obeyed":        func(n *Network) { n.Hosts[1].Link = pfc.LinkObeyed },
		"hosts[1].dcbx.start: -1":                      func(n *Network) { n.Hosts[1].DCBX.Start = -1 },
		"hosts[1].dcbx.settings.ets: a willing host (want a switch's port": func(n *Network) {
			sharing(n.Hosts[1].DCBX, true, 40, 60)
		},
		"switches[0].ports[0].dcbx.settings.ets: priority 0, vendor (want dwrr or strict": func(n *Network) {
			n.Switches[0].Ports[0].DCBX.Settings.Mode = dcbx.OnlyCEE
			sharing(n.Switches[0].Ports[0].DCBX, true, 40, 60)
		},
		"switches[0].ports[0].dcbx.settings.ets: [0 1 2 3 4 5 6 6] (want queue N": func(n *Network) {
			n.Switches[0].Ports[0].Queues[7] = 6
			sharing(n.Switches[0].Ports[0].DCBX, true, 40, 60)
		},
		"hosts[0].dcbx.settings.ets: with the credit-based shaper": func(n *Network) {
			sharing(n.Hosts[0].DCBX, false, 40, 60)
			n.Hosts[0].DCBX.Settings.ETS.CreditBased = true
		},
	} {
		net := disagreeing(0, dcbx.OnlyIEEE)
		change(&net)
		_, err := New(net)
		require.ErrorContains(t, err, want)
	}
}

// With DCBX on random ports, a network gives the same results as a whole and in parts, by any number of workers.
func TestDCBXInPartsChangesNothing(t *testing.T) {
	effort.SkipFew(t, "it simulates many networks twice")
	changed, rescheduled, divided := int64(0), int64(0), 0
	many := uint64(10)
	if testing.Short() {
		many = 2
	}
	for seed := range many {
		r := rand.New(rand.NewPCG(seed, 5))
		net, number := randomNetwork(r), 0
		random := func(atSwitch bool, enabled *pfc.Priorities) *DCBX {
			if number++; r.IntN(4) == 0 {
				return nil
			}
			d := speaks(number, r.IntN(2) == 0, dcbx.Mode(r.IntN(3)))
			d.Start, d.Processing = unit.Time(r.Int64N(20e6)), unit.Time(r.Int64N(3)*500e3)
			if shares := 1 + r.IntN(99); r.IntN(2) == 0 {
				sharing(d, atSwitch && r.IntN(2) == 0, shares, 100-shares)
				d.Settings.Mode = dcbx.OnlyIEEE // a random scheduler has what CEE has not
			}
			if r.IntN(2) == 0 {
				*enabled = pfc.Priorities(r.IntN(256))
			}
			return d
		}
		for i := range net.Hosts {
			net.Hosts[i].DCBX = random(false, &net.Hosts[i].PFC)
		}
		for i := range net.Switches {
			for j := range net.Switches[i].Ports {
				p := &net.Switches[i].Ports[j]
				p.Queues = [Priorities]int{0, 1, 2, 3, 4, 5, 6, 7}
				p.DCBX = random(true, &p.PFC)
			}
		}
		parts, whole := sameInParts(t, r, net, fmt.Sprintf("seed %d", seed))
		divided += parts - 1
		for i := range whole.ports {
			d, _ := whole.DCBX(whole.endOf(int32(i)))
			changed += d.Changed
			rescheduled += d.Rescheduled
		}
	}
	require.Greater(t, divided, int(many), "parts")
	require.Greater(t, changed, 5*int64(many), "negotiations that change something")
	require.Greater(t, rescheduled, int64(many), "negotiations that change shares")
}
