package report

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/unit"
)

// BurstDocument says how long a planned switch absorbs incasts: see capacity.Burst for the model.
type BurstDocument struct {
	Schema string   `json:"schema"`
	Set    []string `json:"set,omitempty"` // changes of the topology
	// Verdict is the worst of the bursts': "not lossless", "pfc first", "ecn late", "pfc alone", "ecn first"; "no
	// congestion": one sender each; "no answer": none.
	Verdict string  `json:"verdict"`
	Bursts  []Burst `json:"bursts"`
	// LeftOut are numbers of senders that were asked for, and that an entry does not have.
	LeftOut []struct {
		Ports   string `json:"ports"`
		Senders int    `json:"senders"`
		Most    int    `json:"most_senders"` // without the receiver
	} `json:"left_out"`
}

// Burst is one incast. A time is null if its event does not happen.
type Burst struct {
	Ports string `json:"ports"`
	Class string `json:"class"`
	// Verdict is "not lossless": the shared headroom pool cannot take the worst case of all senders; "pfc first": XOFF
	// comes before ECN marks a packet; "ecn late": before it marks every packet; "pfc alone": the class does not mark;
	// "ecn first": it marks every packet before XOFF; or "no congestion".
	Verdict   string      `json:"verdict"`
	Group     int         `json:"group"`
	Slice     int         `json:"slice"`
	Senders   int         `json:"senders"`
	InSlice   int         `json:"senders_in_slice"`
	Frame     unit.Bytes  `json:"frame_bytes"`
	Pause     cells.Count `json:"pause_cells"`    // of a group when it sends XOFF
	Headroom  cells.Count `json:"headroom_cells"` // of a group beyond that
	Short     cells.Count `json:"short_cells"`    // of the shared headroom pool, if all senders bring their worst case
	XOFF      *int64      `json:"xoff_ps"`
	MarksSome *int64      `json:"marks_some_ps"`
	MarksAll  *int64      `json:"marks_all_ps"`
	Full      *int64      `json:"headroom_full_ps"`        // if the senders do not stop
	ECNFirst  *bool       `json:"marks_all_before_xoff"`   // null: the class does not mark
	Absorbed  unit.Bytes  `json:"absorbed_bytes_a_sender"` // until XOFF
	Queue     unit.Bytes  `json:"queue_at_xoff_bytes"`     // of the egress port
}

// burstVerdicts are the verdicts of bursts, the worst first; "no answer" is that of no burst.
var burstVerdicts = []string{"not lossless", "pfc first", "ecn late", "pfc alone", "ecn first", "no congestion",
	"no answer"}

// Bursts returns the document of bursts.
func Bursts(bursts []capacity.Burst) BurstDocument {
	worst := len(burstVerdicts) - 1
	d := BurstDocument{Schema: Schema("burst"), Bursts: grouped.Each(bursts, func(b capacity.Burst) Burst {
		out := Burst{Ports: b.Ports, Class: b.Class, Group: b.Group, Slice: b.Slice, Senders: b.Senders,
			InSlice: b.InSlice, Frame: b.Frame, Pause: b.Pause, Headroom: b.Headroom, Short: b.Short,
			XOFF: happens(b.XOFF), MarksSome: happens(b.MarksSome), MarksAll: happens(b.MarksAll), Full: happens(b.Full),
			Absorbed: b.Absorbed, Queue: b.Queue}
		if first, given := b.ECNFirst.Get(); given {
			out.ECNFirst = &first
		}
		out.Verdict = burstVerdict(&b)
		worst = min(worst, slices.Index(burstVerdicts, out.Verdict))
		return out
	})}
	d.Verdict = burstVerdicts[worst]
	unnamed.List(&d.LeftOut, 0)
	return d
}

// LeaveOut lists the numbers of senders that an entry of an intent does not have.
func (d *BurstDocument) LeaveOut(in *buffer.Intent, entries []capacity.Entry, senders []int) {
	for _, e := range entries {
		for _, n := range senders {
			if most := e.Senders(in); n > most {
				out := unnamed.Add(&d.LeftOut)
				out.Ports, out.Senders, out.Most = e.Text, n, most
			}
		}
	}
}

// burstVerdict is the verdict of a burst: one of burstVerdicts.
func burstVerdict(b *capacity.Burst) string {
	first, marks := b.ECNFirst.Get()
	switch {
	case b.XOFF == capacity.Never:
		return "no congestion"
	case b.Short > 0:
		return "not lossless"
	case !marks:
		return "pfc alone"
	case first:
		return "ecn first"
	case b.MarksSome <= b.XOFF:
		return "ecn late"
	}
	return "pfc first"
}

// happens returns a time, nil for capacity.Never.
func happens(t unit.Time) *int64 {
	if t == capacity.Never {
		return nil
	}
	return new(int64(t))
}
