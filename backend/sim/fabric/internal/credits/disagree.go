package credits

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Disagreement is what happens on a link whose ends do not agree about credits, as one or two runs.
type Disagreement struct {
	Name string // "credits-at-one-end"
	Text string
	Runs []Run
}

// Run is one direction of such a link.
type Run struct {
	Name  string
	Link  Direction
	Rate  unit.BitRate
	Until int64 // bit times
	// Shows tells whether the run shows what its name says.
	Shows func(*Result) bool
}

// The names of the disagreements, by which findings of package dcbx/linkcheck refer to them.
const (
	AtOneEnd = "credits-at-one-end"
	TooLarge = "credits-too-large"
	TooFew   = "credits-too-few"
)

// Disagreements returns them. The link has 300 m of fibre at 400G, and its receivers have 254-byte cells and store 40
// bytes beside each frame; frames have 1024 bytes, 5 credits each. A CF_Update is sent every 6,400 bytes.
//
// That an end without credits sends no CF_Update and counts none, and that an end with credits has no room beside them,
// is inferred from the rules of SAI doc/CBFC: no text says what such an end does.
func Disagreements() []Disagreement {
	const until = 20_000_000 // 50 us
	// 600,000 bit times at 400G are 1.5 us, the way over 300 m at 5 ns/m; 51,200 are 6,400 bytes, and 10,000,000 are 25
	// us.
	link := func(limit cbfc.Credits, change func(*Direction)) Direction {
		l := Direction{Way: 600_000, Spacing: 51_200, Timer: 10_000_000, Account: cbfc.Account{Credit: 254, Overhead: 40},
			Channels: []Channel{{Limit: limit, Sizes: []unit.Bytes{1024}}}}
		change(&l)
		return l
	}
	run := func(name string, l Direction, shows func(*Result) bool) Run {
		return Run{name, l, 400 * unit.Gbps, until, shows}
	}
	return []Disagreement{
		{AtOneEnd, "one end has credits, the other has none: neither direction works", []Run{
			// 1,600 credits are 320 frames of 5.
			run("from the end with credits", link(1600, func(l *Direction) {
				l.Phase, l.Timer = MostWay, 0 // no CF_Update comes, and nothing answers a CC_Update
			}), func(r *Result) bool { return r.Channels[0].Sent == 320 && r.Waited > r.End/2 }),
			run("to the end with credits", link(cbfc.MaxLimit, func(l *Direction) {
				l.Room, l.Channels[0].Slow = 1600, 2 // the sender counts nothing, and the egress is congested
			}), func(r *Result) bool { return r.Overflow > 0 }),
		}},
		{TooLarge, "the sender counts in larger credits than the receiver's cells", []Run{
			run("to the end with smaller cells", link(1600, func(l *Direction) {
				l.Memory, l.Room = thresholds.Memory{Cell: 208, Overhead: 40}, 1600 // a cell for each credit
				l.Channels[0].Stops = []Stop{{0, until / 2}}                        // its egress is blocked for half of the time
			}), func(r *Result) bool { return r.Overflow > 0 }),
		}},
		{TooFew, "the credits are those of a cable of 3 m, and the cable has 300 m", []Run{
			run("over the longer cable", link(160, func(*Direction) {}), func(r *Result) bool {
				return r.Overflow == 0 && r.Channels[0].Lost == 0 && r.Waited > r.End/2
			}),
		}},
	}
}
