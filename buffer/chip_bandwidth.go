package buffer

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// mostManagement is how many of an intent's ports may be management ports, and fastestManagement how fast these are.
// The bandwidth of a chip does not include them. Both are inferred: chips have one to four, of 1G to 100G.
const (
	mostManagement    = 4
	fastestManagement = 100 * unit.Gbps
)

// validateCarried refuses more ports than the chip has, ports that are faster than any of the chip's, and ports that
// together are faster than the chip. What is not sourced is not checked: see notChecked.
func (in *Intent) validateCarried(bad *fielderr.List) {
	in.validateNumber(len(in.Ports), bad)
	in.validateSum(in.Ports, -1, nil, bad)
}

// validateNumber refuses more ports than the chip has.
func (in *Intent) validateNumber(n int, bad *fielderr.List) {
	if c := &in.Chip; c.Ports > 0 && n > c.Ports {
		bad.Add("ports", fmt.Sprintf("%d ports", n),
			fmt.Sprintf("at most %d: %s has no more (%s)", c.Ports, c.Name, orUnknown(c.Sources.Ports)))
	}
}

// validateSum refuses ports that together are faster than the chip: all of them but one, and another. Without a
// complaint it allocates nothing.
func (in *Intent) validateSum(ports []Port, but int, other *Port, bad *fielderr.List) {
	if in.Chip.Bandwidth == 0 {
		return
	}
	var s speeds
	for i := range ports {
		if i != but {
			s.add(ports[i].Rate)
		}
	}
	if other != nil {
		s.add(other.Rate)
	}
	in.validateSpeeds(s.carried(), bad)
}

// validateSpeeds refuses a sum of speeds that is above the chip's.
func (in *Intent) validateSpeeds(sum unit.BitRate, bad *fielderr.List) {
	c := &in.Chip
	if most := unit.BitRate(c.Bandwidth) * unit.Gbps; sum > most {
		bad.Add("ports", fmt.Sprintf("%v in all", sum),
			fmt.Sprintf("at most %v, which is what %s carries (%s)", most, c.Name, orUnknown(c.Sources.Bandwidth)))
	}
}

// validateSpeed refuses a port that is faster than any of the chip's.
func (c *Chip) validateSpeed(p *Port, path string, bad *fielderr.List) {
	if fastest := unit.BitRate(c.PortSpeed) * unit.Gbps; fastest > 0 && p.Rate > fastest {
		bad.Add(path+".speed", p.Rate.String(),
			fmt.Sprintf("at most %v, the fastest port of %s (%s)", fastest, c.Name, orUnknown(c.Sources.Bandwidth)))
	}
}

func orUnknown(source string) string { return cmp.Or(source, "no source") }

// notChecked says what of the ports could not be compared with the chip, because nobody has a source for it; empty if
// everything was.
func (c *Chip) notChecked() []string {
	var room [3]string
	what := room[:0]
	if c.Ports == 0 {
		what = append(what, "how many ports it has")
	}
	if c.PortSpeed == 0 {
		what = append(what, "how fast a port can be")
	}
	if c.Bandwidth == 0 {
		what = append(what, "how much it carries in all")
	}
	if len(what) == 0 {
		return []string{}
	}
	return []string{"not sourced, and the ports not checked against it: " + strings.Join(what, ", ")}
}

// OffloadNeeds returns how fast packets must leave the memory on the chip for the memory beside it, for ports that all
// send XOFF at once and then receive at their rate until their headroom is full. Under lost, the memory on the chip is
// full before they are, even if it is empty at XOFF: at the time T in which the last port fills, H bytes of headroom
// came and lost*T of them left, so lost is (H - memory)/T. At enough, everything that comes moves at once, whatever
// waits on the chip. In between it depends on that: at the chip's own rate, Offload, waiting is how many bytes come at
// most before they can leave, so many have to be free at XOFF. All are zero for a chip that is not [Chip.Deep] and
// where there is no headroom, and waiting is where Offload is. The rates are those of frames on the line: T is headroom
// by rate, of bytes as they are stored, and the same ratio of stored bytes to bytes of the line is in H.
func (c *Chip) OffloadNeeds(ports iter.Seq2[unit.BitRate, cells.Count]) (
	lost, enough unit.BitRate, waiting unit.Bytes) {
	if !c.Deep() {
		return 0, 0, 0
	}
	var full cells.Count
	var all []filling
	for rate, headroom := range ports {
		if headroom <= 0 || rate <= 0 {
			continue
		}
		headroom, rate = min(headroom, MaxCells), min(rate, 1<<50) // above is refused elsewhere
		full, enough = min(full+headroom, MaxCells), min(enough+rate, 1<<62)
		all = append(all, filling{rate, c.Cell.Bytes(headroom)})
	}
	// Longer ones first.
	slices.SortFunc(all, func(a, b filling) int {
		other := exact.Whole(a.bytes).Times(int64(b.rate), int64(a.rate)) // what b's port gets in the time of a's
		return cmp.Or(cmp.Compare(int64(b.bytes), other.Ceil()), cmp.Compare(int64(b.bytes), other.Floor()))
	})
	if c.Offload > 0 {
		waiting = mostWaiting(all, unit.BitRate(c.Offload)*unit.Gbps)
	}
	left := c.Cell.Bytes(full) - c.MemoryBytes
	if left <= 0 || c.MemoryBytes == 0 {
		return 0, enough, waiting
	}
	quotient := scaled(left, all[0].rate, int64(all[0].bytes))
	if quotient >= int64(enough) {
		return enough, enough, waiting
	}
	return unit.BitRate(quotient) / unit.Gbps * unit.Gbps, enough, waiting
}

// filling is the headroom of a port, and how fast it fills.
type filling struct {
	rate  unit.BitRate
	bytes unit.Bytes
}

// mostWaiting returns how many of the bytes that come have not left yet, at the time when they are most. While ports
// fill, what comes and leaves is straight between the times at which one of them is full, so it is at one of these.
// The ports are in the order of these times, the last first.
func mostWaiting(all []filling, leaves unit.BitRate) (most unit.Bytes) {
	var whole unit.Bytes
	for _, f := range all {
		whole = min(whole+f.bytes, 1<<62)
	}
	var coming unit.BitRate // of the ports that are not full yet
	var open unit.Bytes     // their headroom
	for _, f := range all {
		now := whole - open // full ones, this one with them
		came := scaled(f.bytes, coming, int64(f.rate))
		left := scaled(f.bytes, leaves, int64(f.rate))
		most = max(most, now-unit.Bytes(left)+min(unit.Bytes(came), open))
		coming, open = min(coming+f.rate, 1<<62), min(open+f.bytes, 1<<62)
	}
	return most
}

// scaled returns bytes times rate / per, rounded down.
func scaled(bytes unit.Bytes, rate unit.BitRate, per int64) int64 {
	return exact.Whole(bytes).Times(int64(rate), per).Floor()
}

// Assumed tells whether the memory of the chip is assumed, as that of an imported configuration whose chip is not
// known: the source of its slices begins with this word.
func (c *Chip) Assumed() bool { return strings.HasPrefix(c.Sources.Slices, "assumed") }

// RestsOn says on which numbers of the memory a plan rests without a public source: for a chip with memory beside it
// those that a topology gives, and a pool that is inferred; for one that is [Chip.Assumed] the memory and the cell. A
// line for each, with its source; nil for other chips.
func (c *Chip) RestsOn() (out []string) {
	if c.Assumed() {
		out = append(out, fmt.Sprintf("the memory, %s bytes: %s", unit.Thousands(c.Cell.Bytes(c.TotalCells())),
			c.Sources.Slices))
		if strings.HasPrefix(c.Sources.Cell, "assumed") {
			out = append(out, fmt.Sprintf("the cell of %d bytes: %s", c.Cell, c.Sources.Cell))
		}
		return out
	}
	if !c.Deep() {
		return nil
	}
	fields := chipFields()
	for i := range fields {
		f := &fields[i]
		source := f.Source(c)
		if !strings.HasPrefix(source, "given") && (f.Key != "slices" || !strings.HasPrefix(source, "inferred")) {
			continue
		}
		switch {
		case f.Key == "slices":
			out = append(out, fmt.Sprintf("the pool of the memory on the chip and beside it, %s bytes in %d %s: %s",
				unit.Thousands(c.Cell.Bytes(c.TotalCells())), len(c.Slices), sliceOrSlices(len(c.Slices)), source))
		case f.IsNumber() && f.Key != "memory_cell_bytes" && !f.IsZero(c):
			out = append(out, fmt.Sprintf("%s %s %s: %s", f.Label, unit.Thousands(f.Number(c)), f.Unit, source))
		}
	}
	return out
}

// RestsOn returns what [Chip.RestsOn] does of the plan's chip, and what to append to a verdict if its pool has no
// public source: "; the pool is given by the topology", "; the pool is inferred", "; the chip is assumed"; else "".
func (p *Plan) RestsOn() (lines []string, note string) {
	if p.admission == nil { // a zero plan
		return nil, ""
	}
	c := &p.admission.in.Chip
	if c.Assumed() {
		note = "; the chip is assumed"
	}
	for _, how := range []string{"given by the topology", "inferred"} {
		if c.Deep() && strings.HasPrefix(c.Sources.Slices, how) {
			note = "; the pool is " + how
		}
	}
	return c.RestsOn(), note
}

func sliceOrSlices(n int) string {
	if n == 1 {
		return "slice"
	}
	return "slices"
}

// warnDeep says what a plan for a chip with memory beside it rests on: see [Chip.OffloadNeeds].
func (a *Admission) warnDeep(warn func(string)) {
	c := &a.in.Chip
	lost, enough, _ := c.OffloadNeeds(func(yield func(unit.BitRate, cells.Count) bool) {
		for i := range a.ports {
			if e := &a.ports[i]; e.short.Fits() && !yield(e.demand.kind.Rate, e.demand.headroom) {
				return
			}
		}
	})
	moves := unit.BitRate(c.Offload) * unit.Gbps
	if enough == 0 || moves >= enough {
		return
	}
	on := "its size is not sourced: chip.memory_bytes"
	if c.MemoryBytes > 0 {
		on = fmt.Sprintf("%s bytes", unit.Thousands(c.MemoryBytes))
	}
	text := fmt.Sprintf("the pool counts the memory on the chip (%s) and the memory beside it, to which packets move; ",
		on)
	how := fmt.Sprintf("assumed: that they move at %v, as fast as these ports receive; no source says how fast they do "+
		"(chip.offload_gbps)", enough)
	if moves > 0 {
		how = fmt.Sprintf("they move at %v (%s), and these ports receive at %v: frames may be lost although the pool has "+
			"room", moves, orUnknown(c.Sources.Offload), enough)
	}
	if moves < lost {
		how += fmt.Sprintf("; with less than %v frames are lost if all this headroom fills at once", lost)
	}
	warn(text + how)
}

// TooDeep tells whether a group's headroom is more than one virtual output queue of the chip holds: then frames are
// lost if all of them wait for one queue of one egress port, although the group has the cells.
func (c *Chip) TooDeep(headroom cells.Count) bool {
	return c.MaxQueue > 0 && c.Cell.Bytes(min(headroom, MaxCells)) > c.MaxQueue
}

// warnQueueDepth says which headroom is more than a virtual output queue holds.
func (a *Admission) warnQueueDepth(d *demand, warn func(string)) {
	c := &a.in.Chip
	var room [pg.PerPort]*groupDemand
	for _, g := range d.firstOfClasses(room[:0]) {
		if c.TooDeep(g.Headroom) {
			warn(fmt.Sprintf("headroom at %v over %s of class %s: %s bytes, and a virtual output queue holds %s (%s): frames "+
				"are lost if all wait for one queue of one egress port", d.kind.Rate, d.kind.Path(), g.class.Name,
				unit.Thousands(c.Cell.Bytes(g.Headroom)), unit.Thousands(c.MaxQueue), orUnknown(c.Sources.MaxQueue)))
		}
	}
}
