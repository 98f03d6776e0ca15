package fabric

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/unit"
)

// sharing adds ETS to the DCBX of a port: it recommends, and as a host also says of itself, one part for priority 3 and
// the rest of the percents for the others.
func sharing(d *DCBX, willing bool, rest, rdma int) {
	t := dcbx.Table{Class: [8]uint8{3: 1}, Bandwidth: [8]uint8{uint8(rest), uint8(rdma)},
		Selection: [8]dcbx.Selection{dcbx.Enhanced, dcbx.Enhanced}}
	s := &d.Settings
	s.WithoutETS = false
	s.ETS.Willing, s.ETS.Table, s.Recommendation = willing, t, &dcbx.ETSRecommendation{Table: t}
}

// contended is a port of a switch with a lossy and a lossless flow, which shares its link equally by bytes. From 300 us
// on, it and the receiver speak DCBX with ETS: the receiver has 20 % for priority 0 and 80 % for priority 3.
func contended(willing bool, mode dcbx.Mode) Network {
	net := incast(2, 0)
	net.Flows[1].Priority, net.Flows[1].PCP = 0, 0
	host, port := &net.Hosts[2], &net.Switches[0].Ports[2]
	port.ETS = weighted(DWRR, 1, 1, 1, 1, 1, 1, 1, 1)
	host.DCBX, port.DCBX = speaks(1, false, mode), speaks(2, false, mode)
	host.DCBX.Start = 300 * unit.Microsecond
	sharing(host.DCBX, false, 20, 80)
	sharing(port.DCBX, willing, 50, 50)
	port.DCBX.Settings.Recommendation = nil
	return net
}

// A willing port shares its link as before until it has heard its neighbour, and as the neighbour recommends (IEEE) or
// shares (CEE) from then on, within 1 %. A port that is not willing goes on as before.
func TestDCBXChangesTheShares(t *testing.T) {
	effort.Alone(t)
	for _, mode := range []dcbx.Mode{dcbx.OnlyIEEE, dcbx.OnlyCEE} {
		for _, willing := range []bool{true, false} {
			s := started(t, contended(willing, mode))
			shares := func(from, to unit.Time) []int64 {
				s.Run(from)
				before := s.bytesOf(2)
				s.Run(to)
				after := s.bytesOf(2)
				return []int64{after[0] - before[0], after[1] - before[1]}
			}
			within1(t, []int64{50, 50}, shares(50*unit.Microsecond, 300*unit.Microsecond))
			d, _ := s.DCBX(AtSwitch(0, 2))
			require.Equal(t, []any{Scheduler(weighted(DWRR, 1, 1, 1, 1, 1, 1, 1, 1)), int64(0)},
				[]any{d.Schedule, d.Rescheduled})
			want := []int64{50, 50}
			if willing {
				want = []int64{80, 20}
			}
			within1(t, want, shares(310*unit.Microsecond, 1500*unit.Microsecond))
			require.NoError(t, s.Check())
			d, _ = s.DCBX(AtSwitch(0, 2))
			require.Equal(t, willing, d.Operational.ETS.FromPeer)
			require.Equal(t, willing, d.Rescheduled == 1 && d.RescheduledAt < 310*unit.Microsecond, "%+v", d)
		}
	}
}

// A neighbour that is forgotten takes its shares with it: the port has its own again.
func TestSharesOfASilentNeighbourEnd(t *testing.T) {
	net := contended(true, dcbx.OnlyIEEE)
	net.Flows = nil
	net.Failures = []Failure{{Kind: LinkDown, At: unit.Second, Until: 200 * unit.Second, Link: 2}}
	s := started(t, net)
	in := func(at unit.Time) Scheduler {
		s.Run(at)
		d, _ := s.DCBX(AtSwitch(0, 2))
		return d.Schedule
	}
	own := net.Switches[0].Ports[2].ETS
	require.NotEqual(t, own, in(unit.Second))
	require.Equal(t, own, in(170*unit.Second))
}

// An operator who changes the scheduler of a port changes what it says, and the shares if they are its own.
func TestSetScheduleIsSaid(t *testing.T) {
	for _, willing := range []bool{true, false} {
		s := started(t, contended(willing, dcbx.OnlyIEEE))
		s.Advance(400 * unit.Microsecond)
		var said *dcbx.Advertisement
		s.Observe(func(e *Event) {
			if e.Kind == LLDPSent && e.Where == AtSwitch(0, 2) {
				ad := dcbx.Read(&e.LLDP.PDU)
				said = &ad
			}
		})
		to := weighted(DWRR, 30, 30, 30, 70, 30, 30, 30, 30)
		require.NoError(t, s.SetSchedule(0, 2, to))
		s.Advance(450 * unit.Microsecond)
		require.Error(t, s.SetSchedule(0, 2, Scheduler{Quantum: -1}))
		d, _ := s.DCBX(AtSwitch(0, 2))
		if willing {
			require.Equal(t, []int{20, 80}, []int{d.Schedule.Groups[0].Weight, d.Schedule.Groups[1].Weight})
			continue
		}
		require.Equal(t, to, d.Schedule)
		require.Equal(t, [8]uint8{11, 11, 11, 25, 11, 11, 10, 10}, said.ETS.Bandwidth)
	}
}

// The table of every scheduler is valid, and a scheduler that takes over a table says that table.
func TestTablesOfSchedulers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for range 2000 {
		var s Scheduler
		for i := range Priorities {
			for _, m := range []*Selection{&s.Queues[i], &s.Groups[i]} {
				if m.Algorithm = Algorithm(r.IntN(int(Shaped) + 1)); m.Algorithm < Strict {
					m.Weight = r.IntN(200)
				}
			}
			if s.Group[i] = r.IntN(Priorities); r.IntN(4) == 0 {
				s.Group = [Priorities]int{}
			}
		}
		table := s.table()
		require.NoError(t, table.Validate(), "%+v", s)
		d := speaks(1, false, dcbx.OnlyIEEE)
		d.Settings.WithoutETS, d.Settings.ETS.Table = false, table
		_, err := dcbx.NewAgent(d.Settings)
		require.NoError(t, err)
		other := s.adopt(&dcbx.Table{Class: [8]uint8{0, 1, 2, 3, 3, 5, 6, 7}, Bandwidth: [8]uint8{1, 2, 3, 94},
			Selection: [8]dcbx.Selection{2, 2, 2, 2}})
		require.Equal(t, s.Queues, other.Queues)
		require.Equal(t, [8]uint8{1, 2, 3, 94}, other.table().Bandwidth)
		require.Equal(t, [8]uint8{0, 1, 2, 3, 3, 5, 6, 7}, other.table().Class)
	}
}
