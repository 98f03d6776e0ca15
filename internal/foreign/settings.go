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
	if i := slices.IndexFunc(x.links, func(o link) bool { o.ports = 1; return o == l }); i >= 0 {
		x.links[i].ports++
		return
	}
	x.links = append(x.links, l)
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

// What switch-mmu.cc and third.cc have as constants.
const (
	ns3Reserve = 4096 // bytes of each port
	ns3Resume  = 3072 // resume_offset
	ns3Shift   = 3    // alpha is 1/8
	ns3Factor  = 3    // headroom in products of rate and delay
)

// ns3 writes the lines of config.txt. The program reads words and ignores those that are no key, so the keys are in
// quotation marks in comments.
func (x *settings) ns3(w io.Writer) {
	headroom := unit.Bytes(0)
	for _, l := range x.links {
		headroom += l.headroom * unit.Bytes(l.ports)
	}
	// One switch has as much headroom as its ports: the total is that of all switches.
	headroom /= unit.Bytes(max(x.switches, 1))
	size := x.memory.pool + headroom + ns3Reserve*unit.Bytes(x.ports)
	whole := size / (1 << 20)
	fmt.Fprintf(w, "# cellwarden: the switches of %q for HPCC's ns-3 and astra-network-ns3 (config.txt)\n",
		oneLine(x.name))
	dynamic := map[bool]int{true: 1}[x.memory.limit.Mode() == thresholds.DynamicLimit]
	fmt.Fprintf(w, "USE_DYNAMIC_PFC_THRESHOLD %d\n", dynamic)
	fmt.Fprintf(w, "PACKET_PAYLOAD_SIZE %d\n", x.payload)
	fmt.Fprintf(w, "BUFFER_SIZE %d\n", whole)
	value := "which is the value."
	if whole<<20 != size {
		value = "which is no whole number of MiB; write them in ConfigBufferSize."
	}
	x.note("\"BUFFER_SIZE\" is in MiB, and the program takes headroom and %d bytes of each port out of it. The shared "+
		"pool of %d bytes, headroom of %d on average of the switches and %d ports need %d bytes: %s", ns3Reserve,
		x.memory.pool, headroom, x.ports, size, value)
	x.maps(w)
	for _, l := range x.links {
		product := int64(l.rate) * (int64(l.delay) / 1000) / 8 / 1_000_000_000
		text := fmt.Sprintf("Links of %v with a delay of %v, %d ports: headroom %d bytes. The program computes rate * "+
			"delay * %d = %d", l.rate, l.delay, l.ports, l.headroom, ns3Factor, product*ns3Factor)
		if product > 0 {
			factor := int64(l.headroom) * 100 / product
			text += fmt.Sprintf("; the factor that gives the plan's is %d.%02d", factor/100, factor%100)
		}
		x.note("%s. Write it in ConfigHdrm.", text)
		if l.iface > 0 {
			x.note("Interfaces delay by %v beside the cable at %v; the program has one delay of a link.", l.iface, l.rate)
		}
	}
	x.limit()
	if x.memory.reserved != ns3Reserve {
		x.note("The plan reserves %d bytes for a group; the program has %d for each port and queue (reserve).",
			x.memory.reserved, ns3Reserve)
	}
	if x.memory.xon != ns3Resume {
		x.note("A group resumes %d bytes below its limit; the program has %d (resume_offset).", x.memory.xon, ns3Resume)
	}
	if x.memory.shared {
		x.note("The headroom is of a shared pool; the program has headroom of each port.")
	}
	if x.memory.slices > 1 {
		x.note("The memory has %d slices of %d bytes; the program has one.", x.memory.slices, x.memory.pool)
	}
	x.note("Memory is counted in cells of %d bytes; the program counts bytes, so small frames take less.", x.memory.cell)
	x.note("Pauses end with their time, and ports respond late; in the program a pause lasts until it is ended, at once.")
	x.comments(w)
}

// maps writes the marking curves. The program stops without one for each rate.
func (x *settings) maps(w io.Writer) {
	never := (x.memory.pool + 1<<20) / 1000 * 2
	kmin, kmax, pmax := "", "", ""
	for _, m := range x.rates {
		low, high, most := m.curve.KMin/1000, m.curve.KMax/1000, m.curve.PMax
		if m.curve.KMax == 0 {
			low, high, most = never, never, 0
			x.note("Ports of %v do not mark: their thresholds here are above the memory.", m.rate)
		} else if m.curve.KMin%1000 != 0 || m.curve.KMax%1000 != 0 {
			x.note("Thresholds of marking are in 1000 bytes there; at %v the plan has %d and %d bytes.", m.rate, m.curve.KMin,
				m.curve.KMax)
		}
		kmin += fmt.Sprintf(" %d %d", m.rate, low)
		kmax += fmt.Sprintf(" %d %d", m.rate, high)
		pmax += fmt.Sprintf(" %d %d.%06d", m.rate, most/unit.Whole, int64(most%unit.Whole)*1_000_000/int64(unit.Whole))
	}
	n := len(x.rates)
	fmt.Fprintf(w, "KMAX_MAP %d%s\nKMIN_MAP %d%s\nPMAX_MAP %d%s\n", n, kmax, n, kmin, n, pmax)
}

// limit says what has to change for the limit of a group.
func (x *settings) limit() {
	switch a := x.memory.limit.Alpha(); {
	case x.memory.limit.Mode() != thresholds.DynamicLimit:
		x.note("The limit of a group is %v; the program has a dynamic one, 1/8 of what is free.", x.memory.limit)
	case a > 0:
		x.note("The limit of a group is %v; the program has alpha of 1 at most (pfc_a_shift 0).", x.memory.limit)
	case -int(a) != ns3Shift:
		x.note("The limit of a group is %v: write shift = %d. The program has %d, and less at links faster than those "+
			"of hosts.", x.memory.limit, -int(a), ns3Shift)
	}
}

// htsim writes the arguments of htsim_roce.
func (x *settings) htsim(w io.Writer) {
	l := x.links[0]
	alone, all := x.limits()
	frame := max(x.frame, 1)
	high, low := all/frame, max(all-x.memory.xon, 0)/frame
	fmt.Fprintf(w, "# cellwarden: the switches of %q for htsim_roce of csg-htsim\n", oneLine(x.name))
	fmt.Fprintf(w, "htsim_roce -nodes %d -linkspeed %d -mtu %d -hop_latency %s -queue_type lossless_input -q %d "+
		"-pfc_thresholds %d %d\n", x.hosts, int64(l.rate/unit.Mbps), frame, microseconds(l.delay+l.iface),
		(x.memory.pool+l.headroom)/frame, low, high)
	x.note("-pfc_thresholds are packets of -mtu for each ingress port, and do not change: here the limit of %d bytes "+
		"that each of %d lossless groups has if all are full. One that is full alone has %d bytes: %d packets.", all,
		x.groups, alone, alone/frame)
	x.note("XOFF is sent above the second number, XON below the first. The program has no headroom: it drops nothing, "+
		"and says so when an input queue has more than 2000 packets. The plan has headroom of %d bytes.", l.headroom)
	x.note("-q, the shared pool and the headroom of a port, has no effect on pauses.")
	if len(x.links) > 1 {
		x.note("The scenario has links of several rates, delays or headrooms; the program has one of each for all links.")
	}
	for _, m := range x.rates {
		if m.curve.KMax > 0 {
			x.note("Ports of %v mark from %d to %d bytes; htsim_roce neither marks with lossless queues nor reacts to marks.",
				m.rate, m.curve.KMin, m.curve.KMax)
		}
	}
	x.note("There is one class, no pool, no reserved bytes, no time of a pause, no response time, and a pause frame " +
		"takes no time on the link.")
	x.comments(w)
}

// limits returns the bytes that a lossless group may use, its reserved ones included: if it is full alone, and if all
// are. With alpha a and n groups these are a/(1+a) and a/(1+n*a) of the pool (Choudhury and Hahne 1998).
func (x *settings) limits() (alone, all unit.Bytes) {
	switch l := x.memory.limit; l.Mode() {
	case thresholds.StaticLimit:
		n := x.memory.cell.Bytes(l.Cells())
		return n + x.memory.reserved, n + x.memory.reserved
	case thresholds.UnlimitedLimit:
		return x.memory.pool + x.memory.reserved, x.memory.pool/unit.Bytes(x.groups) + x.memory.reserved
	default:
		num, den := l.Alpha().Ratio()
		of := func(n int64) unit.Bytes {
			return x.memory.pool*unit.Bytes(num)/unit.Bytes(den+n*num) + x.memory.reserved
		}
		return of(1), of(int64(x.groups))
	}
}

// microseconds prints a time as the program reads it.
func microseconds(t unit.Time) string {
	us := int64(unit.Microsecond)
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%06d", int64(t)/us, int64(t)%us), "0"), ".")
}

// oneLine keeps a name within its line.
func oneLine(name string) string { return strings.Join(strings.Fields(name), " ") }
