package foreign

import (
	"fmt"
	"io"
	"strings"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

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
