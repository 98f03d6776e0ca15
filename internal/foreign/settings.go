package foreign

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// This file collects the settings of switches, and [WriteSettings] writes them in the words of another simulator: what
// the other program reads, and beside it, in comments, what it cannot express. Nothing is rounded in silence. The names
// are those of scratch/third.cc and switch-mmu.cc of HPCC, which astra-sim/astra-network-ns3 8fd3604 (scratch/common.h)
// shares, and of main_roce.cpp and queue_lossless_input.cpp of htsim.

// Simulators lists the names that WriteSettings accepts.
func Simulators() []string { return []string{"ns3", "htsim"} }

// WriteSettings writes the settings of the switches of a network for a simulator. It refuses switches that differ where
// the other simulator has one value, and a name that is not in [Simulators].
func WriteSettings(w io.Writer, simulator, name string, n *fabric.Network) error {
	x, err := settingsOf(name, n)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	switch simulator {
	case "ns3":
		x.ns3(&out)
	case "htsim":
		x.htsim(&out)
	default:
		return fmt.Errorf("simulator %q (want %s)", simulator, strings.Join(Simulators(), ", "))
	}
	_, err = w.Write(out.Bytes())
	return err
}

// settings are what all switches of a scenario have in common, in bytes.
type settings struct {
	name     string
	switches int
	memory   memory
	groups   int // lossless groups of the switch with the most
	ports    int // of the switch with the most
	links    []link
	rates    []marked
	frame    unit.Bytes // longest frame of a flow
	payload  unit.Bytes // of the longest frame
	hosts    int
	notes    []string
}

// memory is how a lossless group uses a switch's memory.
type memory struct {
	cell     cells.Size
	pool     unit.Bytes // shared part of the group's pool
	slices   int
	limit    thresholds.Limit
	reserved unit.Bytes
	xon      unit.Bytes // offset below the limit
	shared   bool       // the headroom is of a pool of headroom
}

// link is the headroom of a lossless group for a kind of link.
type link struct {
	rate     unit.BitRate
	delay    unit.Time // of the cable, one way
	iface    unit.Time
	headroom unit.Bytes
	ports    int
}

// marked is how the queues of ports of a rate mark.
type marked struct {
	rate  unit.BitRate
	curve ecn.Thresholds
}

// settingsOf collects the settings. It refuses switches that differ in what the other simulators have one value of.
func settingsOf(name string, n *fabric.Network) (*settings, error) {
	x := &settings{name: name, switches: len(n.Switches), hosts: len(n.Hosts)}
	first := ""
	for i := range n.Switches {
		w := &n.Switches[i]
		lossless := 0
		for j := range w.MMU.Groups {
			g := &w.MMU.Groups[j]
			if !g.Lossless {
				continue
			}
			lossless++
			m := memoryOf(&w.MMU, g)
			if first == "" {
				first, x.memory = w.Name, m
			}
			if m != x.memory {
				return nil, fmt.Errorf("switch %s has other cells, pools, limits, reserved bytes or XON offsets than %s, or "+
					"differs among its lossless groups: want one setting of all, because the other simulator has one",
					w.Name, first)
			}
		}
		x.groups, x.ports = max(x.groups, lossless), max(x.ports, len(w.Ports))
	}
	if first == "" {
		return nil, fmt.Errorf("no switch has a lossless group: want a scenario with PFC")
	}
	for i := range n.Links {
		x.link(n, &n.Links[i])
	}
	slices.SortStableFunc(x.links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.rate, b.rate), cmp.Compare(a.delay, b.delay), cmp.Compare(a.headroom, b.headroom))
	})
	slices.SortFunc(x.rates, func(a, b marked) int { return cmp.Compare(a.rate, b.rate) })
	for i := range n.Flows {
		if f := &n.Flows[i]; f.Frame > x.frame {
			x.frame, x.payload = f.Frame, f.Frame-f.Header
		}
	}
	return x, nil
}

// memoryOf returns how a group uses the memory.
func memoryOf(c *mmu.Config, g *mmu.Group) memory {
	return memory{cell: c.Cell, pool: c.Cell.Bytes(c.Pools[g.Pool].Shared), slices: max(c.Slices, 1), limit: g.Limit,
		reserved: c.Cell.Bytes(g.Reserved), xon: c.Cell.Bytes(g.XON.Offset), shared: g.HeadroomPool > 0}
}

// link notes the headroom and the marking of a link's ends at switches.
func (x *settings) link(n *fabric.Network, l *fabric.Link) {
	if l.Layer != nil {
		x.note("Links have credits, retry or errors; the program has none of these.")
	}
	for _, e := range []fabric.End{l.A, l.B} {
		if !e.Switch {
			continue
		}
		w := &n.Switches[e.Node]
		p := &w.Ports[e.Port]
		for prio := range fabric.Priorities {
			g := &w.MMU.Groups[p.Groups[prio]]
			if !g.Lossless {
				continue
			}
			x.headroom(link{l.Rate, l.Delay, l.Interface, w.MMU.Cell.Bytes(g.Headroom), 1})
			x.marking(marked{l.Rate, p.ECN[p.Queues[prio]].Thresholds})
			break
		}
	}
}

// headroom notes a port with its headroom.
func (x *settings) headroom(l link) {
	i := slices.IndexFunc(x.links, func(o link) bool { o.ports = 1; return o == l })
	if i < 0 {
		x.links = append(x.links, l)
		return
	}
	x.links[i].ports++
}

// marking notes how a port marks. The other simulators have one curve for each rate.
func (x *settings) marking(m marked) {
	i := slices.IndexFunc(x.rates, func(o marked) bool { return o.rate == m.rate })
	switch {
	case i < 0:
		x.rates = append(x.rates, m)
	case x.rates[i] != m:
		x.note("Ports of %v mark differently; this file has the curve of the first.", m.rate)
	}
}

// note adds a sentence about what the other simulator cannot express, once.
func (x *settings) note(format string, args ...any) {
	x.notes = grouped.Add(x.notes, fmt.Sprintf(format, args...))
}

// comments writes the notes, a line each.
func (x *settings) comments(w io.Writer) {
	for _, n := range x.notes {
		fmt.Fprintf(w, "# %s\n", n)
	}
}
