package report

import (
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// BurstDocument says how long a planned switch absorbs incasts: see capacity.Burst for the model.
type BurstDocument struct {
	Schema string   `json:"schema"`
	Set    []string `json:"set,omitempty"` // changes of the topology
	Bursts []Burst  `json:"bursts"`
}

// Burst is one incast. A time is null if its event does not happen.
type Burst struct {
	Ports     string      `json:"ports"`
	Class     string      `json:"class"`
	Group     int         `json:"group"`
	Slice     int         `json:"slice"`
	Senders   int         `json:"senders"`
	Frame     unit.Bytes  `json:"frame_bytes"`
	Pause     cells.Count `json:"pause_cells"`    // of a group when it sends XOFF
	Headroom  cells.Count `json:"headroom_cells"` // of a group beyond that
	XOFF      *int64      `json:"xoff_ps"`
	MarksSome *int64      `json:"marks_some_ps"`
	MarksAll  *int64      `json:"marks_all_ps"`
	Full      *int64      `json:"headroom_full_ps"`        // if the senders do not stop
	ECNFirst  *bool       `json:"marks_all_before_xoff"`   // null: the class does not mark
	Absorbed  unit.Bytes  `json:"absorbed_bytes_a_sender"` // until XOFF
}

// Bursts returns the document of bursts.
func Bursts(bursts []capacity.Burst) BurstDocument {
	return BurstDocument{Schema: Schema("burst"), Bursts: each(bursts, func(b capacity.Burst) Burst {
		out := Burst{Ports: b.Ports, Class: b.Class, Group: b.Group, Slice: b.Slice, Senders: b.Senders, Frame: b.Frame,
			Pause: b.Pause, Headroom: b.Headroom, XOFF: happens(b.XOFF), MarksSome: happens(b.MarksSome),
			MarksAll: happens(b.MarksAll), Full: happens(b.Full), Absorbed: b.Absorbed}
		if first, given := b.ECNFirst.Get(); given {
			out.ECNFirst = &first
		}
		return out
	})}
}

// happens returns a time, nil for capacity.Never.
func happens(t unit.Time) *int64 {
	if t == capacity.Never {
		return nil
	}
	return new(int64(t))
}
