package fabric

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

func TestValidateAcceptsWhatRuns(t *testing.T) {
	require.NoError(t, incast(4, 1e6).Validate())
	require.NoError(t, Network{}.Validate())
}

// Each fault in a good network is refused with its path, and there is no other complaint.
func TestValidateNamesWhatIsWrong(t *testing.T) {
	for want, change := range map[string]func(*Network){
		"links[3].rate: 0b/s (want 1b/s to 100T)":  func(n *Network) { n.Links[3].Rate = 0 },
		"links[0].delay: -1ps (want 0ps to 1000s)": func(n *Network) { n.Links[0].Delay = -1 },
		"links[1].b: switch 0 port 0 (want a port that has no link yet)": func(n *Network) {
			n.Links = append(n.Links[:1:1], Link{A: AtHost(1), B: AtSwitch(0, 0), Rate: 1}, n.Links[2], n.Links[3],
				n.Links[4])
		},
		"links[5].b.node: 7 (want 0 to 0, one of 1 switches)": func(n *Network) {
			n.Links = append(n.Links, Link{A: AtHost(0), B: AtSwitch(7, 0), Rate: 1})
		},
		"flows[2].to: 9 (want 0 to 4, one of 5 hosts)":        func(n *Network) { n.Flows[2].To = 9 },
		"flows[2].to: 2 (want another host than from)":        func(n *Network) { n.Flows[2].To = 2 },
		"flows[1].frame: 63B (want 64B to 16384B)":            func(n *Network) { n.Flows[1].Frame = 63 },
		"flows[1].header: 1048B (want less than the frame)":   func(n *Network) { n.Flows[1].Header = 1048 },
		"flows[0].priority: 8 (want 0 to 7)":                  func(n *Network) { n.Flows[0].Priority = 8 },
		"flows[0].pcp: -2 (want 0 to 7, or -1 without a tag)": func(n *Network) { n.Flows[0].PCP = -2 },
		"flows[3]: no route from host 3 to host 4":            func(n *Network) { n.Links = n.Links[:4] },
		"switches[0].ports[2].groups[5]: 99 (want 0 to 9": func(n *Network) {
			n.Switches[0].Ports[2].Groups[5] = 99
		},
		"a lossless group is one port's, and this is that of port 0": func(n *Network) {
			n.Switches[0].Ports[2].Groups[5] = 1
		},
		"switches[0].ports[1].queues[0]: -1 (want 0 to 7": func(n *Network) {
			n.Switches[0].Ports[1].Queues[0] = -1
		},
		"switches[0].ports[1].cells[0]: 40 (want 0 to 39": func(n *Network) {
			n.Switches[0].Ports[1].Cells[0] = 40
		},
		"switches[0].mmu.cell: 0 bytes": func(n *Network) { n.Switches[0].MMU.Cell = 0 },
		"switches[0].slice(0, 0): 3": func(n *Network) {
			n.Switches[0].Slice = func(int, int) int { return 3 }
		},
		"switches[0].ports[0].map[3]: 9 (want priority 0 to 7)": func(n *Network) {
			n.Switches[0].Ports[0].Map = &[64]uint8{3: 9}
		},
		"hosts[0].response: -5ps": func(n *Network) { n.Hosts[0].Response = -5 },
		"hosts: 65537 (want at most 65536)": func(n *Network) {
			n.Hosts = make([]Host, MaxHosts+1)
		},
	} {
		n := incast(4, 1e6)
		change(&n)
		err := n.Validate()
		require.ErrorContains(t, err, want)
		_, refused := New(n)
		require.EqualError(t, refused, err.Error())
	}
}

func TestValidateComplainsOfAllAtOnce(t *testing.T) {
	n := incast(2, 1e6)
	n.Links[0].Rate, n.Flows[1].Frame, n.Hosts[2].AfterPause[0] = 0, 0, -1
	var all interface{ Unwrap() []error }
	require.True(t, errors.As(n.Validate(), &all))
	require.Len(t, all.Unwrap(), 4, "a frame of nothing leaves no room for its header either: %v", n.Validate())
}

// Networks of other simulators are accepted: their frames are shorter, and switches with an admission rule have no MMU.
func TestValidateLetsPeersBe(t *testing.T) {
	n := incast(2, 1e6)
	n.Wire.Bare = true
	n.Flows[0].Frame, n.Flows[0].Header = 49, 48
	n.Switches[0].Rule, n.Switches[0].MMU = anything{}, mmu.Config{}
	require.NoError(t, n.Validate())
}

// anything admits all.
type anything struct{}

func (anything) Arrive(int, int, int, unit.Bytes) (admitted, xoff bool) { return true, false }
func (anything) Leave(int, int, int, unit.Bytes) (xon bool)             { return false }

// FuzzNetwork makes networks from bytes. No network causes a panic, and the
// accounts of an accepted network are consistent after every part of a run.
func FuzzNetwork(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 3, 100, 50, 8, 1, 8, 20, 4, 10, 2, 9, 3, 3, 1, 6, 3, 10, 20, 50, 2, 7, 0, 5, 90, 2, 8, 1, 1, 0, 1})
	f.Add([]byte{1, 4, 200, 9, 6, 2, 7, 1, 1, 40, 0, 8, 2, 1, 1, 1, 1, 10, 1, 3, 1, 0, 2, 2, 10, 100})
	f.Add([]byte{3, 1, 3, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 2, 2, 100, 0, 0, 2, 3, 0, 200, 1, 2, 3, 4, 5})
	f.Add([]byte{4, 2, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 128, 0, 0, 0, 0, 0, 0, 128})
	f.Fuzz(func(t *testing.T, data []byte) {
		n := networkOf(&bytesOfFuzz{data})
		s, err := New(n)
		require.Equal(t, n.Validate() == nil, err == nil)
		if err != nil {
			return
		}
		for i := range 20 {
			s.Run(unit.Time(i*i) * unit.Nanosecond)
			require.NoError(t, s.Check())
		}
	})
}

// bytesOfFuzz hands out numbers: mostly small ones, sometimes any.
type bytesOfFuzz struct{ data []byte }

func (b *bytesOfFuzz) small(n int) int {
	if len(b.data) == 0 {
		return 0
	}
	x := b.data[0]
	b.data = b.data[1:]
	if x == 255 && len(b.data) >= 8 { // out of range, likely
		y := binary.LittleEndian.Uint64(b.data)
		b.data = b.data[8:]
		return int(y)
	}
	return int(x) % n
}

// networkOf makes a network of bytes: from nothing, or of one that runs.
func networkOf(b *bytesOfFuzz) Network {
	if b.small(2) == 1 {
		return changed(b)
	}
	n := Network{Hosts: make([]Host, b.small(6)&7), Switches: make([]Switch, b.small(4)&3), Seed: uint64(b.small(256))}
	n.Wire = Wire{Gap: unit.Bytes(b.small(40)), Pause: unit.Bytes(b.small(90)), Bare: b.small(4) == 1,
		Endless: b.small(4) == 1, InOrder: b.small(2) == 1}
	for i := range n.Hosts {
		n.Hosts[i] = Host{PFC: pfc.Priorities(b.small(256)), Link: pfc.LinkRule(b.small(4)),
			Response: unit.Time(b.small(100)) * 1000, AfterPause: [Priorities]unit.Bytes{3: unit.Bytes(b.small(200))}}
	}
	for i := range n.Switches {
		n.Switches[i] = switchOf(b)
	}
	end := func() End {
		if b.small(2) == 0 {
			return AtHost(b.small(6))
		}
		return AtSwitch(b.small(4), b.small(5))
	}
	for range b.small(12) & 15 {
		n.Links = append(n.Links, Link{A: end(), B: end(), Rate: unit.BitRate(b.small(200)) * unit.Gbps,
			Delay: unit.Time(b.small(200)) * 100, Interface: unit.Time(b.small(9))})
	}
	for range b.small(8) & 15 {
		n.Flows = append(n.Flows, Flow{From: b.small(6), To: b.small(6), Priority: b.small(8), PCP: b.small(10) - 1,
			DSCP: b.small(64), Frame: unit.Bytes(b.small(220)) * 50,
			Header: unit.Bytes(b.small(60)), Size: unit.Bytes(b.small(200)) * 500, Start: unit.Time(b.small(99)),
			TTL: b.small(9), ECT: b.small(2) == 0,
			Rate: unit.BitRate(b.small(20)) * unit.Gbps, Stop: unit.Time(b.small(200)) * 1000})
	}
	return n
}

// changed is an incast with some things other than they were.
func changed(b *bytesOfFuzz) Network {
	n := incast(1+b.small(5)&3, unit.Bytes(b.small(200))*1000)
	w := &n.Switches[0]
	w.MMU.Pools[0].Shared = cells.Count(b.small(256))
	for range b.small(12) & 15 {
		i := uint(b.small(5))
		h, p, l, f := &n.Hosts[i%uint(len(n.Hosts))], &w.Ports[i%uint(len(w.Ports))], &n.Links[i%uint(len(n.Links))],
			&n.Flows[i%uint(len(n.Flows))]
		switch b.small(14) {
		case 0:
			h.PFC, h.Link = pfc.Priorities(b.small(256)), pfc.LinkRule(b.small(3))
		case 1:
			p.PFC, p.Wait, p.Resp = pfc.Priorities(b.small(256)), unit.Bytes(b.small(200)), unit.Time(b.small(200))*1000
		case 2:
			l.Rate, l.Delay = unit.BitRate(b.small(250))*unit.Gbps, unit.Time(b.small(250))*1000
		case 3:
			f.Frame, f.Header, f.Rate = unit.Bytes(b.small(250)*40), unit.Bytes(b.small(100)),
				unit.BitRate(b.small(50))*unit.Gbps
		case 4:
			f.Priority, f.PCP, f.TTL, f.ECT = b.small(8), b.small(9)-1, b.small(4), b.small(2) == 1
		case 5:
			p.ETS.Queues[b.small(8)&7] = Selection{Algorithm: Algorithm(b.small(5)), Weight: b.small(20),
				IdleSlope: unit.BitRate(b.small(9)) * unit.Gbps}
		case 6:
			p.ECN[b.small(8)&7] = Marking{
				Thresholds: ecn.Thresholds{KMin: unit.Bytes(b.small(256)), KMax: unit.Bytes(b.small(256)) * 50,
					PMax: unit.Percent(b.small(256))}}
		case 7:
			n.Failures = append(n.Failures, Failure{Kind: FailureKind(b.small(4)), At: unit.Time(b.small(99)) * 1000,
				Until: unit.Time(b.small(200)) * 2000,
				Host:  b.small(4), Priorities: pfc.Priorities(b.small(256)), Link: b.small(5), Prune: b.small(2) == 1,
				Detours: []Detour{{Switch: b.small(2), Ports: []int{b.small(6)}}}})
		case 8:
			f.Sender = Sender{Window: unit.Bytes(b.small(99)) * 1000, ACK: ACK{Every: b.small(9)},
				Message: unit.Bytes(b.small(99)) * 500}
		case 9:
			f.Sender.DCQCN = &DCQCN{CNP: Class{Priority: b.small(9), PCP: b.small(9) - 1}}
		case 10:
			w.LinkPause, w.Quanta, w.OwnXON, w.ReleaseAtStart = b.small(2) == 1, uint16(b.small(256)),
				b.small(2) == 1, b.small(2) == 1
		case 11:
			n.Wire = Wire{Bare: b.small(2) == 1, Endless: b.small(2) == 1, InOrder: b.small(2) == 1}
		case 12:
			w.MMU.Groups[b.small(len(w.MMU.Groups))&1].Headroom = cells.Count(b.small(200))
		case 13:
			f.Stop, f.Start = unit.Time(b.small(200))*1000, unit.Time(b.small(200))*1000
		}
	}
	return n
}

func switchOf(b *bytesOfFuzz) Switch {
	w := Switch{Quanta: uint16(b.small(200)), ReleaseAtStart: b.small(2) == 1, LinkPause: b.small(3) == 1,
		OwnXON: b.small(2) == 1}
	w.MMU = mmu.Config{Cell: cells.Size(b.small(250)), Slices: b.small(3),
		Pools: []mmu.Pool{{Shared: cells.Count(b.small(256))}}}
	for range b.small(6) & 15 {
		w.MMU.Groups = append(w.MMU.Groups,
			mmu.Group{Reserved: cells.Count(b.small(9)), Limit: thresholds.Dynamic(thresholds.Alpha(b.small(9) - 4)),
				Lossless: b.small(2) == 0, Headroom: cells.Count(b.small(99)),
				XON: thresholds.XON{Offset: cells.Count(b.small(12))}})
	}
	if slices := w.MMU.Slices; slices > 1 {
		w.Slice = func(in, out int) int { return (in + out) % slices }
	}
	for range b.small(6) & 15 {
		p := SwitchPort{Trust: Trust(b.small(3)), Tagged: b.small(2) == 0, PFC: pfc.Priorities(b.small(256)),
			Link: pfc.LinkRule(b.small(4)), Wait: unit.Bytes(b.small(99)), Resp: unit.Time(b.small(99))}
		g := b.small(8)
		for i := range Priorities {
			p.Groups[i], p.Queues[i] = g, b.small(8)
		}
		if b.small(3) == 1 {
			p.Map = &[64]uint8{}
			for i := range p.Map {
				p.Map[i] = uint8(b.small(9))
			}
		}
		w.Ports = append(w.Ports, p)
	}
	return w
}
