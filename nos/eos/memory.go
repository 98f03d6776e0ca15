package eos

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// mostSize is the largest number of a size: more than any switch has in bytes, of memory beside the chip, too.
const mostSize = 1 << 40

// memory is a profile of platform trident mmu queue profile: what groups and queues have of the chip's memory.
type memory struct {
	name     string
	line     int
	headroom audit.Number
	reserved audit.Number // of all groups
	resume   audit.Number
	alpha    audit.Number // of all groups
	group    [8]struct{ reserved, alpha audit.Number }
	profile  [8]*audit.Profile
}

// memoryProfile reads a profile.
func (r *reader) memoryProfile(s *statements.Statement) {
	m := &memory{name: s.Read().Word(5), line: s.Line}
	r.memory[m.name] = m
	object := s.Text()
	for _, u := range s.Under {
		switch {
		case u.Begins("ingress", "headroom"):
			m.headroom = r.size(u, 2, object)
		case u.Begins("ingress", "reserved"):
			m.reserved = r.size(u, 2, object)
		case u.Begins("ingress", "resume"):
			m.resume = r.size(u, 2, object)
		case u.Begins("ingress", "threshold") && len(u.Words) == 3:
			m.alpha = r.alpha(u, 2, object)
		case u.Begins("ingress", "priority-group") && len(u.Words) >= 5:
			id := r.Int(u.Word(2), u.Line, object, "priority-group", 0, 7)
			if !id.Given {
				u.Read()
				continue
			}
			switch g := &m.group[id.Value]; u.Word(3) {
			case "reserved":
				g.reserved = r.size(u, 4, object)
			case "threshold":
				g.alpha = r.alpha(u, 4, object)
			}
		case u.Begins("egress", "unicast", "queue"), u.Begins("egress", "multicast", "queue"):
			r.egress(u, object)
		}
	}
}

// egress reads what a queue has of the memory: it is known, and no part of what is audited.
func (r *reader) egress(u *statements.Statement, object string) {
	r.Int(u.Word(3), u.Line, object, "queue", 0, 11)
	switch u.Word(4) {
	case "reserved":
		r.size(u, 5, object)
	case "threshold":
		r.alpha(u, 5, object)
	case "drop-precedence":
		u.Read()
	}
}

// headroomPool reads platform trident mmu headroom-pool limit cells 24000: what the headroom of all groups has
// together.
func (r *reader) headroomPool(s *statements.Statement) {
	const object = "platform trident mmu headroom-pool"
	n := r.size(s, 5, object)
	if !n.Given {
		return
	}
	if n.Value == 0 {
		r.Find("number-format", s.Line, object, "limit is 0: want 1 or more")
		return
	}
	r.pool = &audit.Pool{Name: "headroom-pool", Type: "ingress", Mode: "dynamic", XOFF: n, At: r.At(s.Line),
		Object: object, Lossless: true}
}

// size reads "bytes 4160", "cells 20", or a number of bytes. Cells are known where the chip is.
func (r *reader) size(u *statements.Statement, at int, object string) audit.Number {
	scale := int64(1)
	switch u.Word(at) {
	case "bytes":
		at++
	case "cells":
		at++
		if scale = int64(r.Chip.Cell()); scale == 0 {
			u.Read()
			r.Unknown = append(r.Unknown, fmt.Sprintf("%s: cells of a chip that is not known (line %d)", u.Text(), u.Line))
			return audit.Number{}
		}
	}
	if len(u.Words) != at+1 {
		return audit.Number{}
	}
	n := r.Int(u.Read().Word(at), u.Line, object, strings.Join(u.Words[:at], " "), 0, mostSize)
	n.Value *= scale
	return n
}

// alphas are the thresholds as powers of two (EOS User Guide: 1/64 to 8).
var alphas = map[string]int64{"1/128": -7, "1/64": -6, "1/32": -5, "1/16": -4, "1/8": -3, "1/4": -2, "1/2": -1, "1": 0,
	"2": 1, "4": 2, "8": 3}

// alpha reads a threshold.
func (r *reader) alpha(u *statements.Statement, at int, object string) audit.Number {
	if len(u.Words) != at+1 {
		return audit.Number{}
	}
	th, known := alphas[u.Read().Word(at)]
	if !known {
		r.Find("number-format", u.Line, object, "threshold is %s: want 1/128 to 8", fielderr.Quote(u.Word(at)))
		return audit.Number{}
	}
	return audit.Number{Value: th, Given: true, At: r.At(u.Line)}
}

// profileOf is what a group without drops has: what the profile that is applied gives it. Without a headroom there the
// switch computes it.
func (r *reader) profileOf(group int) *audit.Profile {
	m := r.active
	if m == nil {
		if m = r.memory[""]; m == nil {
			m = &memory{}
			r.memory[""] = m
		}
	}
	if p := m.profile[group]; p != nil {
		return p
	}
	p := &audit.Profile{Name: fmt.Sprintf("default %d", group), Object: fmt.Sprintf("priority group %d", group),
		At: r.At(m.line), HeadroomType: "dynamic"}
	if m.name != "" {
		p.Name, p.Object = fmt.Sprintf("%s %d", m.name, group), "platform trident mmu queue profile "+m.name
		p.Size, p.DynamicTh, p.XONOffset = m.reserved, m.alpha, m.resume
		if g := m.group[group]; g.reserved.Given {
			p.Size = g.reserved
		}
		if g := m.group[group]; g.alpha.Given {
			p.DynamicTh = g.alpha
		}
		if p.Pool = r.pool; p.Pool != nil {
			p.PoolName = p.Pool.Name
		}
		if m.headroom.Given {
			p.HeadroomType, p.XOFF = "", m.headroom
			if m.headroom.Value == 0 {
				r.Find("no-drop-no-headroom", m.headroom.At.Line, p.Object, "ingress headroom is 0, and group %d is without "+
					"drops", group)
			}
		}
	}
	m.profile[group] = p
	r.AddProfile(p)
	return p
}

// groupsOfMemory adds the groups that the applied profile names as what is checked: the variables of AVD and the
// commands for the memory alone have no interfaces, and so no group that a port uses.
func (r *reader) groupsOfMemory() {
	r.Unknown = append(r.Unknown, "which ports have groups without drops: platform.trident.mmu has no ports")
	if r.active == nil {
		return
	}
	for n, g := range r.active.group {
		if g.reserved.Given || g.alpha.Given {
			r.profileOf(n)
		}
	}
}

// refused makes findings of values that are left out.
func (r *reader) refused(wrong []error) {
	for _, err := range wrong {
		line := 0
		if at, ok := err.(*fielderr.Located); ok {
			line, err = at.Line, at.Err
		}
		r.Find("number-format", line, "platform.trident.mmu", "%v", err)
	}
}
