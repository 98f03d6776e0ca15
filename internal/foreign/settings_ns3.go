package foreign

import (
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

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
	fmt.Fprintf(w, "USE_DYNAMIC_PFC_THRESHOLD %d\n", btoi(x.memory.limit.Mode() == thresholds.DynamicLimit))
	fmt.Fprintf(w, "PACKET_PAYLOAD_SIZE %d\n", x.payload)
	fmt.Fprintf(w, "BUFFER_SIZE %d\n", whole)
	x.note("\"BUFFER_SIZE\" is in MiB, and the program takes headroom and %d bytes of each port out of it. The shared "+
		"pool of %d bytes, headroom of %d on average of the switches and %d ports need %d bytes: %s", ns3Reserve,
		x.memory.pool, headroom, x.ports, size, exactly(whole<<20 == size, "write them in ConfigBufferSize."))
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

// exactly says what is to be done about a number that the file does not have exactly.
func exactly(ok bool, otherwise string) string {
	if ok {
		return "which is the value."
	}
	return "which is no whole number of MiB; " + otherwise
}

// btoi is 1 for true.
func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
