// Command credits compares three ways of protecting a buffer: the credits of
// Fibre Channel, those of CBFC, and the pause frames of Ethernet. There is a sender
// at 40G, a buffer of 64 frames, an egress of 20G, and cables of different lengths.
//
// With credits no frame is lost, because the buffer never holds more frames than there are credits. With too few
// credits for the length, the link is slower. CBFC collects what becomes free for 6400 bytes, so it is a little slower
// still where credits are too few. With pauses, frames are lost when the headroom is too small for the length. Both
// need memory in proportion to the length: the last columns show how many credits keep the egress busy, and how many
// frames of buffer lose nothing with pauses. These frames alone do not keep the egress busy: the sender resumes at 30
// frames, which have left before the next frame arrives.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

const (
	link    = 40 * unit.Gbps
	egress  = 20 * unit.Gbps
	frame   = 2148 // bytes, the longest of Fibre Channel
	gap     = 20   // bytes beside it
	memory  = 64   // frames
	reserve = 32   // of these, the headroom after XOFF
	run     = 10 * unit.Millisecond
)

func main() {
	if err := compare(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// compare prints a line for each length.
func compare(w io.Writer) error {
	fmt.Fprintln(w, "          64 credits     64 of CBFC   32 frames + 32 headroom     enough        enough headroom")
	fmt.Fprintln(w, "   km   Mb/s    held    Mb/s   held        Mb/s    lost          credits        frames    Mb/s")
	for _, km := range []int{0, 1, 2, 5, 10, 20, 40} {
		delay := unit.Time(km) * 5 * unit.Microsecond // 5 ns a metre
		fibre := fabric.BufferToBuffer{Way: link.BitsIn(delay), Frame: frame, Slow: int64(link / egress), Credits: memory}
		c, err := channel(fibre.Link())
		if err != nil {
			return err
		}
		b, err := channel(updated(delay))
		if err != nil {
			return err
		}
		p, err := pause(delay, memory-reserve, reserve)
		if err != nil {
			return err
		}
		roomy, err := pause(delay, memory-reserve, 1<<16)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%5d %6d %7d  %6d %6d  %10d %7d    %13d    %10d %7d\n", km, rate(c.delivered), c.stored,
			rate(b.delivered), b.stored, rate(p.Delivered), p.Drops,
			fibre.Full(), memory-reserve+roomy.MaxHeadroom, rate(roomy.Delivered))
	}
	return nil
}

// rate converts frames per run to Mb/s of the egress.
func rate(frames int64) int64 { return frames * 8 * (frame + gap) * int64(unit.Second/run) / 1e6 }

// outcome is what a run gave: frames that left by the egress, and the most cells that were stored at once.
type outcome struct {
	delivered int64
	stored    cells.Count
}

// channel runs a link and returns the outcome of its channel.
func channel(l fabric.CreditLink) (outcome, error) {
	r, err := l.Run(link.BitsIn(run))
	if err != nil {
		return outcome{}, err
	}
	return outcome{r.Channels[0].Delivered, r.Channels[0].Stored}, nil
}

// updated returns the same link with credits of CBFC, each as large as a frame.
func updated(delay unit.Time) fabric.CreditLink {
	return fabric.CreditLink{Way: link.BitsIn(delay), Spacing: 8 * int64(cbfc.DefaultSpacing),
		Account:  cbfc.Account{Credit: frame},
		Channels: []fabric.CreditChannel{{Limit: memory, Sizes: []unit.Bytes{frame}, Slow: int64(link / egress)}}}
}

// pause runs the same link with a switch that sends PFC frames: it stops the sender
// at its XOFF threshold, and has headroom for the frames that still come.
func pause(delay unit.Time, limit, headroom cells.Count) (fabric.Summary, error) {
	port := fabric.SwitchPort{PFC: pfc.Of(3)}
	for n := range fabric.Priorities {
		port.Queues[n], port.Groups[n] = n, 0
	}
	out := port
	for n := range fabric.Priorities {
		out.Groups[n] = 1
	}
	group := mmu.Group{Limit: thresholds.Static(limit), Lossless: true, Headroom: headroom,
		XON: thresholds.XON{Offset: 2}}
	s, err := fabric.New(fabric.Network{
		Hosts: []fabric.Host{{PFC: pfc.Of(3)}, {PFC: pfc.Of(3)}},
		Switches: []fabric.Switch{{Ports: []fabric.SwitchPort{port, out},
			MMU: mmu.Config{Cell: frame, Pools: []mmu.Pool{{Shared: 1 << 20}}, Groups: []mmu.Group{group, group}}}},
		Links: []fabric.Link{
			{A: fabric.AtHost(0), B: fabric.AtSwitch(0, 0), Rate: link, Delay: delay},
			{A: fabric.AtSwitch(0, 1), B: fabric.AtHost(1), Rate: egress},
		},
		Flows: []fabric.Flow{{From: 0, To: 1, Priority: 3, PCP: 3, Frame: frame}},
	})
	if err != nil {
		return fabric.Summary{}, err
	}
	s.Run(run)
	return s.Summary(), s.Check()
}
