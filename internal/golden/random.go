package golden

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Random returns a valid intent for a chip that does not exist. The chip's memory is cut to the need of the ports:
// about right, exactly right, one cell too little, far too little. The same rng state gives the same intent.
func Random(rng *rand.Rand) buffer.Intent {
	in := buffer.Intent{Chip: randomChip(rng)}
	in.Ports = randomPorts(rng, &in.Chip)
	dress(rng, &in)
	cut(rng, &in)
	fill(rng, &in)
	capMarking(&in)
	return in
}

// Vary returns another intent for the same chip, with all or the first few of
// the ports. Names and pipes stay; everything else is drawn again.
func Vary(rng *rand.Rand, in buffer.Intent) buffer.Intent {
	in.Ports = slices.Clone(in.Ports)
	if rng.IntN(3) == 0 {
		in.Ports = in.Ports[:1+rng.IntN(len(in.Ports))]
	}
	dress(rng, &in)
	fill(rng, &in)
	capMarking(&in)
	return in
}

// capMarking cuts thresholds that are above the pool, which no intent may say.
func capMarking(in *buffer.Intent) {
	pool := in.Chip.Cell.Bytes(in.Chip.TotalCells())
	if in.Pool.Size > 0 {
		pool = min(pool, in.Pool.Size)
	}
	for i := range in.Classes {
		e := &in.Classes[i].ECN
		e.KMin, e.KMax = min(e.KMin, pool), min(e.KMax, pool)
	}
}

// What an intent may say at most, and what keeps products of cells and hundredths of a percent within 64 bits.
const (
	mostBytes unit.Bytes  = 1 << 50
	mostCells cells.Count = 1 << 40
	mostNeed  cells.Count = 1 << 36
)

// pick returns one of its arguments.
func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

// upTo returns a number from 0 to n.
func upTo[N ~int64](rng *rand.Rand, n N) N { return N(rng.Int64N(int64(n) + 1)) }

// odds returns true n times in a hundred.
func odds(rng *rand.Rand, n int) bool { return rng.IntN(100) < n }

// randomChip returns a chip with its slices still empty.
func randomChip(rng *rand.Rand) buffer.Chip {
	alphas := pick(rng, [2]thresholds.Alpha{-7, 3}, [2]thresholds.Alpha{-10, 10}, [2]thresholds.Alpha{0, 0},
		[2]thresholds.Alpha{-3, -1}, [2]thresholds.Alpha{2, 5})
	c := buffer.Chip{Name: "random", MinAlpha: alphas[0], MaxAlpha: alphas[1], Groups: pick(rng, 8, 8, 8, 4, 1),
		Cell:     pick[cells.Size](rng, 1, 64, 80, 208, 208, 254, 416, 4096, 1<<20),
		Overhead: pick[unit.Bytes](rng, 0, 64, 64, 1000, 1<<16),
		Slices:   make([]buffer.Slice, 1+rng.IntN(4))}
	if odds(rng, 15) {
		c.Rounding = buffer.Rounding{HeadroomMantissa: thresholds.Mantissa(1 + rng.IntN(6)),
			ResumeOffset: upTo(rng, cells.Count(9))}
	}
	if odds(rng, 30) {
		c.Reclaims = pick(rng, buffer.ReclaimsAdminDown, buffer.ReclaimsLinkDown)
	}
	if odds(rng, 75) {
		for range 1 + rng.IntN(5) {
			feeds := rng.Perm(len(c.Slices))
			c.Pipes = append(c.Pipes, feeds[:1+rng.IntN(len(feeds))])
		}
	}
	return c
}

// randomPorts returns ports with names and pipes only.
func randomPorts(rng *rand.Rand, c *buffer.Chip) []buffer.Port {
	out := make([]buffer.Port, 1+rng.IntN(24))
	if odds(rng, 10) {
		out = out[:1]
	}
	placed := pick(rng, 0, 0, 30, 100)
	for i, number := range rng.Perm(len(out)) {
		out[i].Name = fmt.Sprintf("Ethernet1/%d", number+1)
		if odds(rng, placed) {
			out[i].Pipe = new(rng.IntN(c.PipeCount()))
		}
	}
	return out
}

// dress draws classes, kinds of ports, the sizing and a shared headroom pool.
func dress(rng *rand.Rand, in *buffer.Intent) {
	byTable := odds(rng, 50)
	in.Classes = randomClasses(rng, &in.Chip, byTable)
	kinds := randomKinds(rng, unit.Bytes(in.Chip.Cell), in.Classes)
	for i := range in.Ports {
		k := pick(rng, kinds...)
		in.Ports[i].Rate, in.Ports[i].Cable, in.Ports[i].MTU = k.Rate, k.Cable, k.MTU
		in.Ports[i].Reserved, in.Ports[i].Classes, in.Ports[i].State = k.Reserved, k.Classes, k.State
	}
	frame := pick[unit.Bytes](rng, 64, 64, 64, 65, 1500, 9216, 16384)
	ieee := thresholds.IEEE{Mix: thresholds.Frames(min(frame, shortest(kinds, in.Classes)))}
	switch {
	case frame == 65: // the worst case
		ieee.Mix = thresholds.WorstFrames()
	case frame%2 == 0: // more than that from 100G on
		ieee.Mix.WithoutGap, ieee.Delays.Sum = true, thresholds.SumOfTexts
	}
	in.Sizing = ieee
	if byTable {
		in.Sizing = randomTable(rng, in, kinds)
	}
	giveCredits(in)
	in.Pool = buffer.Pool{}
	if odds(rng, 50) {
		in.Pool.SharedHeadroom = randomHeadroomPool(rng, *in)
	} else if odds(rng, 20) {
		in.Pool.SharedHeadroomRatio = 1 + rng.IntN(8)
	}
}

// shortest is the length of the frames of the lossless class with the shortest ones: no longer frames fill the headroom
// of all.
func shortest(kinds []buffer.Port, classes []buffer.Class) unit.Bytes {
	least := thresholds.MaxFrameSize
	for _, k := range kinds {
		least = min(least, k.MTU)
	}
	for _, c := range classes {
		if c.Lossless && c.MTU > 0 {
			least = min(least, c.MTU)
		}
	}
	return least
}

// randomClasses deals the priorities out. A lossless class gets none that the
// chip has no group for, a lossy one begins with one that it has.
func randomClasses(rng *rand.Rand, chip *buffer.Chip, byTable bool) []buffer.Class {
	deck := rng.Perm(pg.PerPort)
	var out []buffer.Class
	for n := range 1 + rng.IntN(4) {
		hand := deck[:min(len(deck), 1+rng.IntN(3))]
		deck = deck[len(hand):]
		c := randomClass(rng, chip, byTable)
		c.Name, c.Priorities = fmt.Sprint("class", n), slices.Clone(hand)
		if c.Lossless {
			c.Priorities = slices.DeleteFunc(c.Priorities, func(p int) bool { return p >= chip.Groups })
		}
		if len(c.Priorities) > 0 && slices.Min(c.Priorities) < chip.Groups {
			out = append(out, c)
		}
	}
	if len(out) == 0 { // none drew a priority that the chip has
		c := randomClass(rng, chip, byTable)
		c.Name, c.Priorities = "only", []int{0}
		return []buffer.Class{c}
	}
	return out
}

// randomClass draws a class without priorities.
func randomClass(rng *rand.Rand, chip *buffer.Chip, byTable bool) buffer.Class {
	cell := unit.Bytes(chip.Cell)
	c := buffer.Class{Lossless: odds(rng, 60), MTU: pick[unit.Bytes](rng, 0, 0, 64, 1024, 4096, 9216),
		Reserved:  maybe(rng, 0, 1, cell-1, cell, cell+1, 6*cell, upTo(rng, 200*cell)),
		XONOffset: maybe(rng, 0, cell, upTo(rng, 10*cell))}
	if odds(rng, 70) || !(chip.AllowsAlpha(0) || byTable && c.Lossless) {
		c.Alpha = new(pick(rng, chip.MinAlpha, chip.MaxAlpha))
	}
	if odds(rng, 12) {
		c.QueueReserved = pick(rng, 1, cell, cell+1, upTo(rng, 50*cell))
	}
	if odds(rng, 40) {
		low := upTo(rng, 20*cell)
		c.ECN = ecn.Thresholds{KMin: low, KMax: 1 + low + upTo(rng, 20*cell),
			PMax: pick(rng, unit.HundredthPercent, 5*unit.OnePercent, unit.Whole)}
	}
	return c
}

// maybe draws one of the quantities, zero among them, or leaves it out.
func maybe(rng *rand.Rand, of ...unit.Bytes) unit.Optional[unit.Bytes] {
	if i := rng.IntN(1 + len(of)); i > 0 {
		return unit.Given(of[i-1])
	}
	return unit.Optional[unit.Bytes]{}
}

// randomKinds draws a few kinds of ports, each with room for the frames of every lossless class.
func randomKinds(rng *rand.Rand, cell unit.Bytes, classes []buffer.Class) []buffer.Port {
	var longest unit.Bytes = thresholds.MinFrame
	for _, c := range classes {
		longest = max(longest, c.MTU)
	}
	out := make([]buffer.Port, 1+rng.IntN(3))
	for i := range out {
		out[i] = buffer.Port{
			Rate: pick(rng, 10*unit.Gbps, 25*unit.Gbps, 40*unit.Gbps, 50*unit.Gbps, 100*unit.Gbps, 200*unit.Gbps,
				400*unit.Gbps, 800*unit.Gbps),
			Cable: pick(rng, 0, unit.Metre/2, unit.Metre, 5*unit.Metre, 40*unit.Metre, 300*unit.Metre, 300*unit.Metre+1,
				10*unit.Kilometre, thresholds.MaxCable),
			MTU: max(longest, pick[unit.Bytes](rng, 64, 1500, 9216, 16384)),
		}
		if odds(rng, 15) {
			out[i].State = buffer.PortState(rng.IntN(3))
			out[i].Classes = buffer.ClassSet(rng.IntN(1 << len(classes)))
		}
		if odds(rng, 15) {
			out[i].Reserved = pick(rng, 1, cell, cell+1, upTo(rng, 300*cell))
		}
	}
	return out
}

// randomTable has a row for every kind of port and for shorter cables of some.
func randomTable(rng *rand.Rand, in *buffer.Intent, kinds []buffer.Port) *table.Table {
	t := &table.Table{Name: "random.ini"}
	for _, k := range kinds {
		t.Rows = append(t.Rows, randomRow(rng, in, k.Rate, k.Cable))
		for range rng.IntN(4) {
			t.Rows = append(t.Rows, randomRow(rng, in, pick(rng, kinds...).Rate, upTo(rng, k.Cable)))
		}
	}
	for i := range t.Rows {
		t.Rows[i].Line = i + 1
	}
	return t
}

// randomRow draws a row for a speed and length.
func randomRow(rng *rand.Rand, in *buffer.Intent, rate unit.BitRate, cable unit.Length) table.Row {
	cell := unit.Bytes(in.Chip.Cell)
	xoff := pick(rng, 0, 1, cell, 100*cell, upTo(rng, 1000*cell), upTo(rng, 50*cell))
	return table.Row{Rate: rate, Cable: cable, XOFF: xoff,
		Size: pick(rng, 0, cell, xoff, xoff+cell+1, upTo(rng, 50*cell)),
		XON:  cell, XONOffset: maybe(rng, 0), Alpha: pick(rng, in.Chip.MinAlpha, in.Chip.MaxAlpha)}
}

// randomHeadroomPool is about as large as the largest group, or far from it.
func randomHeadroomPool(rng *rand.Rand, in buffer.Intent) unit.Bytes {
	in.Pool.SharedHeadroom = 1 // any: a row's reserved cells depend on whether there is one
	largest, groups := cells.Count(0), cells.Count(0)
	m := newModel(in)
	for _, p := range in.Ports {
		for _, g := range m.groups(p) {
			largest, groups = max(largest, g.headroom), groups+1
		}
	}
	part := pick(rng, largest, largest, largest, largest+upTo(rng, largest), largest*(1+upTo(rng, groups)))
	if odds(rng, 20) {
		part = pick(rng, 0, 1, largest-1, 1000*largest+1)
	}
	return spread(rng, in, part)
}

// spread is the size for the whole chip of which each slice has this part,
// sometimes with bytes left over that are no cell for every slice.
func spread(rng *rand.Rand, in buffer.Intent, part cells.Count) unit.Bytes {
	step := unit.Bytes(in.Chip.Cell) * unit.Bytes(len(in.Chip.Slices))
	size := unit.Bytes(max(0, part)) * step
	if odds(rng, 40) {
		size += upTo(rng, step-1)
	}
	return min(max(1, size), mostBytes)
}

// cut gives the slices their cells.
func cut(rng *rand.Rand, in *buffer.Intent) {
	in.SharedFloor = randomFloor(rng)
	need, pool := needs(*in), newModel(*in).part
	if odds(rng, 10) {
		in.Chip.MaxPortHeadroom = randomPortMaximum(rng, *in)
	}
	way, share := rng.IntN(10), 5+upTo(rng, cells.Count(90))
	for i := range in.Chip.Slices {
		s, taken := &in.Chip.Slices[i], cells.Count(0)
		for j := range rng.IntN(3) {
			t := buffer.Take{Item: fmt.Sprint("own ", j), Cells: upTo(rng, cells.Count(300))}
			s.Takes, taken = append(s.Takes, t), taken+t.Cells
		}
		base, rest := taken+min(pool, mostNeed), min(need[i]-pool, mostNeed)
		exact := withFloor(base+rest, in.SharedFloor)
		switch way {
		case 0:
			s.Cells = exact
		case 1:
			s.Cells = exact - 1
		case 2:
			s.Cells = exact + upTo(rng, cells.Count(40))
		case 3:
			s.Cells = upTo(rng, cells.Count(400))
		case 4:
			s.Cells = 2 * exact
		default: // room for some ports, not quite the same in every slice
			s.Cells = withFloor(base+rest*(share+upTo(rng, cells.Count(20)))/100, in.SharedFloor)
		}
		s.Cells = min(max(1, taken, s.Cells), mostCells)
	}
	limitPools(rng, in, pool)
}

// limitPools gives some chips a largest pool: about the memory of a slice, or of the headroom pool that is asked for.
func limitPools(rng *rand.Rand, in *buffer.Intent, pool cells.Count) {
	if odds(rng, 15) {
		room := emptied(pick(rng, in.Chip.Slices...)).Unused
		in.Chip.MaxPool = max(1, pick(rng, room, room-1, room-pool, room*9/10, room/2, upTo(rng, room)))
	}
	if odds(rng, 12) {
		in.Chip.MaxHeadroomPool = min(mostCells, max(1, pick(rng, pool, pool, pool-1, 2*pool)))
	}
}

// randomPortMaximum is about what the largest port needs; 0 if none needs any.
func randomPortMaximum(rng *rand.Rand, in buffer.Intent) cells.Count {
	m, largest := newModel(in), cells.Count(0)
	for _, p := range in.Ports {
		var port cells.Count
		for _, g := range m.groups(p) {
			port += g.headroom
		}
		largest = max(largest, port)
	}
	return min(mostCells, pick(rng, largest, max(0, largest-1), 1+largest/2, 2*largest))
}

// withFloor is the least total that leaves the floor beside the used cells.
func withFloor(used cells.Count, floor unit.Percent) cells.Count {
	total := used * cells.Count(unit.Whole) / cells.Count(unit.Whole-floor)
	for total-floorOf(floor, total) < used {
		total++
	}
	return total
}

// needs is what all ports together need in each slice.
func needs(in buffer.Intent) []cells.Count {
	m := newModel(in)
	out := make([]cells.Count, len(in.Chip.Slices))
	for i := range out {
		out[i] = m.part
	}
	for i, p := range in.Ports {
		for s := range out {
			for _, minimum := range minimaOf(in, p) {
				out[s] += minimum
			}
		}
		for _, s := range m.feeds(i, p) {
			if !reclaimed(in, p) {
				out[s] += holding(in, p.Reserved) + holding(in, p.SharedCredits)
			}
			for _, n := range credited(in, p) {
				out[s] += n
			}
			for _, g := range m.groups(p) {
				out[s] += g.reserved
				if !m.pooled() {
					out[s] += g.headroom
				}
			}
		}
	}
	return out
}

// randomFloor draws a shared floor, often none.
func randomFloor(rng *rand.Rand) unit.Percent {
	if odds(rng, 5) {
		return pick(rng, unit.Whole-1, upTo(rng, unit.Whole-1))
	}
	return pick(rng, 0, 0, unit.HundredthPercent, unit.OnePercent, 5*unit.OnePercent, upTo(rng, 20*unit.OnePercent))
}

// fill configures the pool of a chip whose slices are cut: the whole memory,
// exactly full, one cell too much, or some part of it.
func fill(rng *rand.Rand, in *buffer.Intent) {
	if odds(rng, 20) {
		in.SharedFloor = randomFloor(rng)
	}
	in.Pool.SizeIncludesHeadroom, in.Pool.SizeIncludesReserved = odds(rng, 50), odds(rng, 50)
	if odds(rng, 35) {
		return
	}
	room := emptied(in.Chip.Slices[0]).Unused
	for _, s := range in.Chip.Slices {
		room = min(room, emptied(s).Unused)
	}
	if !in.Pool.SizeIncludesHeadroom && odds(rng, 85) { // otherwise both pools together are too large
		room = max(0, room-newModel(*in).part)
	}
	need := slices.Max(needs(*in))
	part := pick(rng, room, room, room, room*9/10, room/2+upTo(rng, room/2), min(room, need), max(0, room-need))
	if odds(rng, 20) {
		part = pick(rng, room+1, upTo(rng, room), 0)
	}
	in.Pool.Size = spread(rng, *in, part)
	if in.Pool.SizeIncludesHeadroom {
		in.Pool.Size = max(in.Pool.Size, in.Pool.SharedHeadroom)
	}
}
