package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
)

// probePlanned takes the chip, its pool and the group from the plan of a topology. The group is that of a port and a
// lossless class; by default the first that the plan has. The error is that of a plan that does not fit. A refused
// plan is an error of its own kind and no complaint about the probe file: the file is right, and the exit code is
// that of a plan that does not fit.
func (r *reader) probePlanned(root *document.Value, open Open, p *Probe) error {
	f := root.Fields("topology", "group", "egress", "fill")
	root.Need(f, "fill")
	plan, chip, err := r.probedPlan(f["topology"], open)
	if plan == nil {
		return err
	}
	// The plan has the part of each slice, so nothing is left to divide.
	p.setChip(chip)
	p.Slices = 1
	probeFill(f["fill"], p)
	probeEgress(f["egress"], &p.Probe)
	if g := r.probedGroup(root, f["group"], plan); g != nil {
		p.setGroup(plan, g)
		// The groups that fill are on one slice: more of them than the plan has there would share cells that others
		// hold.
		if most := countOf(plan, g); p.Groups > most {
			f["fill"].Field("groups").Refuse(
				fmt.Sprintf("at most %d: slice %[2]d has %[1]d groups of the class", most, g.Slice))
		}
		// The plan rounds each threshold to cells. Bytes would be compared with limits that have lost them.
		if p.Charged > 0 {
			f["fill"].Field("packet_bytes_charged").Refuse("nothing: a plan counts cells")
		}
	}
	return nil
}

// probedPlan plans the topology. It returns nil if the file was refused, or if the plan does not fit.
func (r *reader) probedPlan(v *document.Value, open Open) (*buffer.Plan, buffer.Chip, error) {
	// Paths are relative to the file that names them, as everywhere.
	path := document.Beside(r.File, v.Text())
	data, err := open(path)
	if err != nil {
		v.Refuse(fmt.Sprintf("the path of a topology that can be read (%v)", err))
		return nil, buffer.Chip{}, nil
	}
	// The files that the topology names are beside it and not beside the probe: Parse has its path.
	in, err := Parse(path, data, open)
	if err == nil {
		var plan *buffer.Plan
		if plan, err = buffer.New(in); err == nil {
			if refused := plan.Err(); refused != nil {
				return nil, buffer.Chip{}, fmt.Errorf("%s: %w", path, refused)
			}
			return plan, in.Chip, nil
		}
	}
	r.Join(err)
	return nil, buffer.Chip{}, nil
}

// probedGroup finds the group that the file names; nil if it was refused. Lossy groups are passed over, as a probe
// looks for the XOFF that they do not have. At most three groups that are there are named, because a plan may have
// thousands.
func (r *reader) probedGroup(root, v *document.Value, plan *buffer.Plan) *buffer.Group {
	port, class := "", ""
	if v != nil {
		f := v.Fields("port", "class")
		port, class = f["port"].Text(), f["class"].Text()
	} else {
		v = root
	}
	var there []string
	// The rows are sorted by port, so the first one that matches is the same in every run.
	for i := range plan.Groups {
		g := &plan.Groups[i]
		if !g.Lossless {
			continue
		}
		if (port == "" || g.Port == port) && (class == "" || g.Class == class) {
			return g
		}
		if name := g.Port + " " + g.Class; len(there) < 3 && !slices.Contains(there, name) {
			there = append(there, name)
		}
	}
	r.Complain(v.Line, "group", strings.TrimSpace(port+" "+class),
		"a port and a lossless class of the plan, such as "+strings.Join(there, ", "))
	return nil
}

// setGroup takes the sizes that the plan gives a group, and those of its slice. Cells become bytes here because a
// probe file has bytes; whole cells lose nothing on the way.
func (p *Probe) setGroup(plan *buffer.Plan, g *buffer.Group) {
	bill := plan.Slices[g.Slice]
	// The pool is what the plan leaves to share in the slice: headroom and reserved cells are out of it already.
	p.Pool = p.Cell.Bytes(bill.Shared)
	// The bill counts the headroom pool of the slice as its headroom. Without a pool each group has its own.
	if plan.Shared != nil {
		p.SharedHeadroom = p.Cell.Bytes(bill.Headroom)
	}
	p.Reserved, p.Limit = p.Cell.Bytes(g.Reserved), g.Limit
	p.Headroom, p.XONOffset = p.Cell.Bytes(g.Headroom), p.Cell.Bytes(g.XONOffset)
	p.Group = fmt.Sprintf("%s %s, slice %d", g.Port, g.Class, g.Slice)
	// Where the port owns headroom, a group that fills alone takes what the other groups of its port have, too. The
	// groups that fill are of one class, so they are of different ports.
	if p.Chip.PortOwnsHeadroom() && plan.Shared == nil {
		p.HeadroomOfPort, p.Headroom = true, 0
		for i := range plan.Groups {
			if x := &plan.Groups[i]; x.Port == g.Port && x.Slice == g.Slice && x.Lossless {
				p.Headroom += p.Cell.Bytes(x.Headroom)
			}
		}
		p.Group += ", with the headroom of its port"
	}
}

// countOf returns how many groups of the class are in the slice.
func countOf(plan *buffer.Plan, like *buffer.Group) (n int) {
	for i := range plan.Groups {
		if g := &plan.Groups[i]; g.Class == like.Class && g.Slice == like.Slice {
			n++
		}
	}
	return n
}
