package golden_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// plannable returns the chips of the catalogue whose cells are sourced.
func plannable() []buffer.Chip {
	var out []buffer.Chip
	for _, c := range asic.All() {
		if len(c.Slices) > 0 {
			out = append(out, c)
		}
	}
	return out
}

func pickOf[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func oneIn(rng *rand.Rand, n int) bool { return rng.IntN(n) == 0 }

// speeds are those of ports, ascending.
var speeds = []unit.BitRate{10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 50 * unit.Gbps, 100 * unit.Gbps,
	200 * unit.Gbps, 400 * unit.Gbps, 800 * unit.Gbps, 1600 * unit.Gbps}

// cables are those of racks, halls and sites.
var cables = []unit.Length{0, unit.Metre, 3 * unit.Metre, 5 * unit.Metre, 40 * unit.Metre, 100 * unit.Metre,
	300 * unit.Metre, 301 * unit.Metre, 2 * unit.Kilometre, 10 * unit.Kilometre, 40 * unit.Kilometre}

// randomPlan returns a valid intent for a chip of the catalogue: ports that the chip can carry, one to three classes, a
// method that is made for the chip, and pools that fit well, hardly or not.
func randomPlan(t *testing.T, rng *rand.Rand, chip buffer.Chip) buffer.Intent {
	t.Helper()
	in := buffer.Intent{Chip: chip, Classes: classesOf(rng, &chip), Ports: portsOf(rng, &chip)}
	in.Sizing = sizerOf(t, rng, in)
	poolsOf(rng, &in)
	for i := range in.Ports {
		if in.CheckPort(i) != nil { // the method has no number for this speed
			in.Sizing = thresholds.IEEE{}
		}
	}
	return in
}

func portsOf(rng *rand.Rand, chip *buffer.Chip) []buffer.Port {
	most := 64
	if chip.Ports > 0 {
		most = min(most, chip.Ports)
	}
	kinds := make([]buffer.Port, 1+rng.IntN(3))
	for i := range kinds {
		kinds[i] = linkOf(rng, chip)
	}
	left := unit.BitRate(chip.Bandwidth) * unit.Gbps
	var out []buffer.Port
	placed := oneIn(rng, 3)
	for i := range pickOf(rng, 1+rng.IntN(8), 1+rng.IntN(most), most) {
		p := pickOf(rng, kinds...)
		if left -= p.Rate; left < 0 && chip.Bandwidth > 0 {
			break
		}
		p.Name = fmt.Sprintf("Ethernet%d", i)
		if placed && !oneIn(rng, 4) {
			p.Pipe = new(rng.IntN(chip.PipeCount()))
		}
		out = append(out, p)
	}
	return out
}

// linkOf returns a port without a name.
func linkOf(rng *rand.Rand, chip *buffer.Chip) buffer.Port {
	fast := speeds
	for chip.PortSpeed > 0 && fast[len(fast)-1] > unit.BitRate(chip.PortSpeed)*unit.Gbps {
		fast = fast[:len(fast)-1]
	}
	p := buffer.Port{Rate: pickOf(rng, fast...), Cable: pickOf(rng, cables[:len(cables)-rng.IntN(len(cables)/2)]...),
		Medium: thresholds.Medium(rng.IntN(4)), MTU: pickOf[unit.Bytes](rng, 1518, 9216, 9216, 9412),
		MACsec: oneIn(rng, 10)}
	if oneIn(rng, 8) {
		p.Delay = unit.Given(unit.Time(rng.Int64N(int64(20 * unit.Microsecond))))
	}
	if oneIn(rng, 8) {
		p.Extra = unit.Time(rng.Int64N(int64(3 * unit.Microsecond)))
	}
	if oneIn(rng, 8) {
		p.Response = unit.Given(unit.Time(rng.Int64N(int64(10 * unit.Microsecond))))
	}
	if oneIn(rng, 8) {
		p.Reserved = unit.Bytes(rng.Int64N(20_000))
	}
	if oneIn(rng, 8) {
		p.State = buffer.PortState(rng.IntN(3))
	}
	return p
}

func classesOf(rng *rand.Rand, chip *buffer.Chip) []buffer.Class {
	cell := unit.Bytes(chip.Cell)
	rdma := buffer.Class{Name: "rdma", Priorities: []int{3, 4}[:1+rng.IntN(2)], Lossless: true,
		MTU: pickOf[unit.Bytes](rng, 0, 1024, 1518)}
	storage := buffer.Class{Name: "storage", Priorities: []int{5}, Lossless: true, MTU: 1518}
	rest := buffer.Class{Name: "best-effort", Priorities: []int{0, 1, 2, 6, 7}}
	out := []buffer.Class{rdma, rest, storage}[:1+rng.IntN(3)]
	for i := range out {
		c := &out[i]
		if oneIn(rng, 3) {
			c.Reserved = unit.Given(unit.Bytes(rng.Int64N(int64(30 * cell))))
		}
		if oneIn(rng, 3) {
			c.XONOffset = unit.Given(unit.Bytes(rng.Int64N(20_000)))
		}
		c.Alpha = new(chip.MinAlpha + thresholds.Alpha(rng.IntN(int(chip.MaxAlpha-chip.MinAlpha)+1)))
		if oneIn(rng, 6) {
			c.QueueReserved = unit.Bytes(rng.Int64N(int64(20 * cell)))
		}
		if oneIn(rng, 3) {
			low := unit.Bytes(rng.Int64N(2 << 20))
			c.ECN = ecn.Thresholds{KMin: low, KMax: low + 1 + unit.Bytes(rng.Int64N(2<<20)), PMax: 5 * unit.OnePercent}
		}
	}
	return out
}

// sizerOf returns a method that is made for the chip, with its own values.
func sizerOf(t *testing.T, rng *rand.Rand, in buffer.Intent) thresholds.Sizer {
	t.Helper()
	if oneIn(rng, 5) {
		return tableOf(rng, in)
	}
	var fit []string
	for _, name := range method.Methods() {
		if method.MadeFor(name, in.Chip.Name) == method.FitsChip && name != "table" && name != "cisco-practical" {
			fit = append(fit, name)
		}
	}
	name, o := pickOf(rng, fit...), method.Options{}
	switch name {
	case "ieee802.1qbb":
		o["delays"] = pickOf(rng, "texts", "both-ends", "larger")
		o["frame"] = pickOf(rng, "worst", "worst", "64B", "256B", "1024B", "64B:50%,1000B:50%")
	case "juniper", "broadcom-th3":
		o["frame"] = pickOf(rng, "worst", "64B", "64B:50%,1000B:50%")
	case "mlxsw":
		o["pfc_delay"] = pickOf(rng, "0B", "30000B")
	case "sonic-dynamic":
		o["small_packets"] = pickOf(rng, "0%", "50%", "100%")
		if oneIn(rng, 2) {
			o["corrected"] = "true"
		}
	}
	s, err := method.NewSizer(name, in.Chip.Name, o)
	require.NoError(t, err)
	return s
}

// tableOf has a row for every speed and length of the ports.
func tableOf(rng *rand.Rand, in buffer.Intent) thresholds.Sizer {
	out, seen := &table.Table{Name: "random.ini"}, map[table.Row]bool{}
	for _, p := range in.Ports {
		key := table.Row{Rate: p.Rate, Cable: p.Cable}
		if seen[key] {
			continue
		}
		seen[key] = true
		xoff := unit.Bytes(rng.Int64N(1 << 20))
		key.XOFF, key.Size, key.XON = xoff, xoff+unit.Bytes(rng.Int64N(20_000)), 0
		key.Alpha, key.Line = in.Chip.MinAlpha, len(seen)
		out.Rows = append(out.Rows, key)
	}
	return out
}

// poolsOf draws a headroom pool, a size and a floor.
func poolsOf(rng *rand.Rand, in *buffer.Intent) {
	memory := int64(in.Chip.Cell.Bytes(in.Chip.TotalCells()))
	switch rng.IntN(4) {
	case 0:
		in.Pool.SharedHeadroom = 1 + unit.Bytes(rng.Int64N(memory*2/3))
	case 1:
		in.Pool.SharedHeadroomRatio = 1 + rng.IntN(8)
	}
	if oneIn(rng, 3) {
		in.Pool.Size = unit.Bytes(memory/10 + rng.Int64N(memory))
		in.Pool.SizeIncludesHeadroom, in.Pool.SizeIncludesReserved = oneIn(rng, 2), oneIn(rng, 2)
		if in.Pool.SizeIncludesHeadroom {
			in.Pool.Size = max(in.Pool.Size, in.Pool.SharedHeadroom)
		}
	}
	if oneIn(rng, 4) {
		in.SharedFloor = unit.Percent(rng.Int64N(int64(40 * unit.OnePercent)))
	}
	most := unit.Bytes(memory)
	if in.Pool.Size > 0 {
		most = min(most, in.Pool.Size)
	}
	for i := range in.Classes {
		c := &in.Classes[i]
		c.ECN.KMin, c.ECN.KMax = min(c.ECN.KMin, most), min(c.ECN.KMax, most)
		if oneIn(rng, 10) { // a static limit in place of the alpha
			least := in.Chip.Cell.Bytes(cells.Count(len(in.Chip.Slices)))
			c.Alpha, c.StaticLimit = nil, max(least, most/8)
			c.XONOffset = unit.Given(unit.Bytes(0))
		}
	}
	if oneIn(rng, 5) {
		in.EgressPools = []buffer.EgressPool{{Name: "out", Size: unit.Bytes(memory/4 + rng.Int64N(memory*3/4))}}
		for i := range in.Classes {
			in.Classes[i].Egress.Pool = "out"
		}
	}
}
