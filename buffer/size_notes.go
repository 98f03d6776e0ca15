package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/thresholds"
)

// SizeNotes says of each lossless class whose headroom is not known to be enough by how much, at the kind of port where
// it is worst: a line for each class. A plan whose cells fit may still lose frames; this is the part of it that no
// admission can see. Empty: every headroom is at least the worst case that is known.
func (p *Plan) SizeNotes() []string {
	var classes []string
	worst, more := map[string]*Sized{}, map[string]int{}
	for i := range p.Sizing.Kinds {
		k := &p.Sizing.Kinds[i]
		if k.Enough == thresholds.Enough {
			continue
		}
		switch w := worst[k.Class]; {
		case w == nil:
			classes = append(classes, k.Class)
			worst[k.Class] = k
			continue
		case k.worseThan(w):
			worst[k.Class] = k
		}
		more[k.Class]++
	}
	out := []string{}
	for _, c := range classes {
		w := worst[c]
		text := fmt.Sprintf("class %s at %v over %s: %s", w.Class, w.Rate, w.Path(),
			w.Worst.Note(w.Granted, p.Chip.Cell)) + p.sizeRemedy(w)
		switch n := more[c]; {
		case n == 1:
			text += "; 1 more kind of port is not enough either, or not known"
		case n > 1:
			text += fmt.Sprintf("; %d more kinds of ports are not enough either, or not known", n)
		}
		out = append(out, text)
	}
	return out
}

// sizeRemedy names the parameters with which the standard's method gives enough, and what it gives then; empty for
// another method, or if no option helps. They are tried from the smallest change on.
func (p *Plan) sizeRemedy(k *Sized) string {
	in := &p.admission.in
	m, ok := in.Sizing.(thresholds.IEEE)
	if !ok {
		return ""
	}
	ends := m
	ends.Delays.Sum = thresholds.SumOfEnds
	worst, both := m, ends
	worst.Mix, both.Mix = thresholds.WorstFrames(), thresholds.WorstFrames()
	for _, way := range []struct {
		name  string
		sizer thresholds.IEEE
	}{{"delays: both-ends gives", ends}, {"frame: worst gives", worst}, {"delays: both-ends and frame: worst give",
		both}} {
		h, err := way.sizer.Size(k.Link, in.Memory())
		if granted := in.Chip.Rounding.headroom(h.Cells); err == nil && granted >= k.Worst.Cells &&
			k.Worst.Judge(granted, in.Chip.Cell) == thresholds.Enough {
			return fmt.Sprintf("; %s %d cells, which are enough", way.name, granted)
		}
	}
	return ""
}

// severity orders the answers, the worst last.
var severity = []thresholds.Sufficiency{thresholds.Enough, thresholds.Unknown, thresholds.LessThanWorstCase,
	thresholds.LessThanInFlight}

// worseThan tells whether k misses more than o: by the kind of answer, then by the share of the worst case that it has.
func (s *Sized) worseThan(o *Sized) bool {
	if s.Enough != o.Enough {
		return slices.Index(severity, s.Enough) > slices.Index(severity, o.Enough)
	}
	return s.Granted*o.Worst.Cells < o.Granted*s.Worst.Cells
}
