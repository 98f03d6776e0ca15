package buffer

import (
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// smallerReserved finds the largest minimum (PG-min) that every group could have.
func (x *seeker) smallerReserved(in Intent) (Remedy, bool) {
	reserved := func(c *Class) unit.Bytes { return c.Reserved.Or(0) }
	return x.smallerMinima(in, "reserved", "a group", reserved,
		func(c *Class, b unit.Bytes) { c.Reserved = unit.Given(b) })
}

// smallerQueues finds the largest minimum that every egress queue could have.
func (x *seeker) smallerQueues(in Intent) (Remedy, bool) {
	reserved := func(c *Class) unit.Bytes { return c.QueueReserved }
	return x.smallerMinima(in, "queue_reserved", "an egress queue", reserved,
		func(c *Class, b unit.Bytes) { c.QueueReserved = b })
}

// smallerMinima finds the largest minimum that every class could have.
func (x *seeker) smallerMinima(in Intent, change, whose string, of func(*Class) unit.Bytes,
	set func(*Class, unit.Bytes)) (Remedy, bool) {
	var most unit.Bytes
	for i := range in.Classes {
		most = max(most, of(&in.Classes[i]))
	}
	return x.capped(in, change, whose, most, func(b unit.Bytes) Intent {
		trial := in
		trial.Classes = slices.Clone(in.Classes)
		for i := range trial.Classes {
			if c := &trial.Classes[i]; of(c) > b {
				set(c, b)
			}
		}
		return trial
	})
}

// smallerPorts finds the largest minimum that every port could have.
func (x *seeker) smallerPorts(in Intent) (Remedy, bool) {
	return x.cappedPorts(in, "port_reserved", "a port", func(p *Port) *unit.Bytes { return &p.Reserved })
}

// fewerCredits finds the most credits that every virtual channel could have whose number the links decide: with them
// stated, no frame is lost, and the links that need more are slower.
func (x *seeker) fewerCredits(in Intent) (Remedy, bool) {
	most, given := cells.Count(0), func(c *Class) bool { return c.Reserved.IsGiven() }
	var names []string
	a, err := NewAdmission(in)
	if err != nil {
		return Remedy{}, false
	}
	for _, k := range a.kinds(false) {
		for j := range k.demand.channels {
			if c := &k.demand.channels[j]; c.class.Credits && !given(c.class) {
				most = max(most, c.reserved)
				names = append(names, c.class.Name)
			}
		}
	}
	with := func(n cells.Count) Intent {
		trial := in
		trial.Classes = slices.Clone(in.Classes)
		for i := range trial.Classes {
			if c := &trial.Classes[i]; c.Credits && !given(c) {
				c.Reserved = unit.Given(in.Chip.Cell.Bytes(n))
			}
		}
		return trial
	}
	n := exact.Last(0, most, func(n cells.Count) bool { return x.fits(with(n)) })
	if n <= 0 {
		return Remedy{}, false
	}
	b := in.Chip.Cell.Bytes(n)
	classes := strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ", ")
	return remedy("credits", b, "fewer credits: reserved: %v (%d credits) for each virtual channel of %s, instead of up "+
		"to %d; no frame is lost, and links that need more are slower", b, n, classes, most)
}

// fewerShared finds the most credits that the virtual channels of every port could share.
func (x *seeker) fewerShared(in Intent) (Remedy, bool) {
	return x.cappedPorts(in, "shared_credits", "the shared credits of a port",
		func(p *Port) *unit.Bytes { return &p.SharedCredits })
}

// cappedPorts finds the largest value of one field that every port could have.
func (x *seeker) cappedPorts(in Intent, key, what string, field func(*Port) *unit.Bytes) (Remedy, bool) {
	var most unit.Bytes
	for i := range in.Ports {
		most = max(most, *field(&in.Ports[i]))
	}
	return x.capped(in, key, what, most, func(b unit.Bytes) Intent {
		trial := in
		trial.Ports = slices.Clone(in.Ports)
		for i := range trial.Ports {
			f := field(&trial.Ports[i])
			*f = min(*f, b)
		}
		return trial
	})
}

// capped finds the largest number of cells, fewer than most bytes take, to which minima can be cut.
func (x *seeker) capped(in Intent, change, whose string, most unit.Bytes, to func(unit.Bytes) Intent) (Remedy, bool) {
	cell := in.Chip.Cell
	n := exact.Last(0, cell.Holding(most), func(n cells.Count) bool { return x.fits(to(cell.Bytes(n))) })
	if n == 0 {
		return Remedy{}, false
	}
	b := cell.Bytes(n)
	return remedy(change, b,
		"smaller buffers: at most %v (%d cells) reserved for %s, instead of up to %v", b, n, whose, most)
}

// cappedSizer sizes as another Sizer does, and gives no group more than most cells of headroom.
type cappedSizer struct {
	thresholds.Sizer
	most cells.Count
}

// Explain returns the size without terms: remedies do not print them.
func (s cappedSizer) Explain(l thresholds.Link, m thresholds.Memory) (thresholds.Explanation, error) {
	h, err := s.Size(l, m)
	return thresholds.Explanation{Headroom: h}, err
}

// Size returns the other Sizer's headroom, cut to the most cells.
func (s cappedSizer) Size(l thresholds.Link, m thresholds.Memory) (thresholds.Headroom, error) {
	h, err := s.Sizer.Size(l, m)
	if h.Cells > s.most {
		h.Cells, h.XOFF = s.most, m.Cell.Bytes(s.most)
	}
	return h, err
}

// smallerHeadroom finds the largest headroom that every group could have. It is
// smaller than the method's result, so the text says what that costs.
func (x *seeker) smallerHeadroom(in Intent) (Remedy, bool) {
	most := largestHeadroom(in)
	n := exact.Last(0, most, func(n cells.Count) bool {
		trial := in
		trial.Sizing = cappedSizer{in.Sizing, n}
		return x.fits(trial)
	})
	need, known := mostNeeded(in)
	if n == 0 || !known || n < need {
		return Remedy{}, false
	}
	b := in.Chip.Cell.Bytes(n)
	return remedy("headroom", b,
		"smaller buffers: at most %v (%d cells) of headroom for a group, instead of up to %d; "+
			"the worst case of every link needs at most %d (ieee802.1qbb)", b, n, most, need)
}

// mostNeeded returns what the link with the most need brings in its worst case, see [thresholds.WorstCase]. Less
// headroom than that is no remedy. It returns false where the delays of a link are not known.
func mostNeeded(in Intent) (most cells.Count, known bool) {
	for i := range in.Ports {
		p := &in.Ports[i]
		for j := range in.Classes {
			c := &in.Classes[j]
			if !c.Lossless || c.CreditsOn(p) || !p.Classes.Has(j) {
				continue
			}
			w := thresholds.WorstCaseOf(in.Sizing, p.Link(c.Frame(p)), in.Memory())
			if !w.Known {
				return 0, false
			}
			most = max(most, w.Cells)
		}
	}
	return most, true
}

// largestHeadroom returns the largest headroom that any group asks for.
func largestHeadroom(in Intent) cells.Count {
	a, err := NewAdmission(in)
	if err != nil {
		return 0
	}
	var most cells.Count
	for _, e := range a.ports {
		for _, g := range e.demand.groups {
			most = max(most, g.Headroom)
		}
	}
	return most
}
