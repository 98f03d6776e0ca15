package inventory

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/observed"
	"github.com/cellwarden/cellwarden/internal/once"
)

// Management matches names of ports for management, which hear LLDP and carry no traffic of the chip or the fabric.
var Management = once.Pattern(`^(eth0|mgmt\d*|Management\d.*|fxp0|em0|me0|ma\d.*)$`)

// Neighbours makes a list of ports of the JSON of `lldpcli -f json show neighbors details`: the interfaces that hear a
// neighbour, which is a cable of unknown length. Interfaces for management are left out.
func Neighbours(name string, data []byte) (*List, error) {
	heard, err := observed.Neighbours(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &List{Cables: true}
	for _, s := range heard {
		if Management().MatchString(s.Interface) {
			out.Left = append(out.Left, s.Interface+" is for management ("+name+")")
			continue
		}
		if n := len(out.Ports); n > 0 && out.Ports[n-1].Name == s.Interface {
			out.Ports[n-1].To += " and " + s.Name.String()
			continue
		}
		out.Ports = append(out.Ports, Port{Name: s.Interface, To: s.Name.String(), From: name})
	}
	if len(out.Ports) == 0 {
		return nil, fmt.Errorf("%s: no interface hears a neighbour (want the JSON of the switch)", name)
	}
	return out, nil
}

// Join joins lists of one switch: a port has what any of them says of it. Two lists that say different things of a port
// are an error. Where lists are of cables, ports that none of these has are left out. Ports come in the order of the
// numbers in their names.
func Join(lists ...*List) (*List, error) {
	var bad fielderr.List
	out, at, cabled, cables := &List{}, map[string]int{}, map[string]bool{}, false
	for _, l := range lists {
		cables = cables || l.Cables
		out.Left = append(out.Left, l.Left...)
		for _, p := range l.Ports {
			cabled[p.Name] = cabled[p.Name] || l.Cables
			i, known := at[p.Name]
			if !known {
				at[p.Name], out.Ports = len(out.Ports), append(out.Ports, p)
				continue
			}
			bad.Join(out.Ports[i].add(&p))
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	out.Ports = slices.DeleteFunc(out.Ports, func(p Port) bool {
		if cables && !cabled[p.Name] {
			out.Left = append(out.Left, p.Name+" has no cable ("+p.From+")")
			return true
		}
		return false
	})
	slices.SortStableFunc(out.Ports, func(a, b Port) int { return buffer.ComparePorts(a.Name, b.Name) })
	return out, nil
}

// add adds what another list says of the port.
func (p *Port) add(q *Port) error {
	differ := func(what, a, b string) error {
		return fmt.Errorf("%s: %s: %s is %s, and %s in %s (want lists that agree)", q.From, fielderr.Quote(p.Name), what,
			b, a, p.From)
	}
	length, given := p.Cable.Get()
	other, said := q.Cable.Get()
	switch {
	case p.Rate != 0 && q.Rate != 0 && p.Rate != q.Rate:
		return differ("speed", p.Rate.String(), q.Rate.String())
	case given && said && length != other:
		return differ("cable", length.String(), other.String())
	}
	if !given {
		p.Cable = q.Cable
	}
	p.Rate, p.To, p.Why = cmp.Or(p.Rate, q.Rate), cmp.Or(p.To, q.To), cmp.Or(p.Why, q.Why)
	p.From += ", " + q.From
	return nil
}
