package observed

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
)

// This file finds the links between two machines, each of which says what its interfaces hear.

// Machines compares the ends of the links between two machines, by the JSON of lldpcli of each and its name. What one
// machine hears is what the other sends: an entry of each are the ends of a link if each names the interface of the
// other.
func (l *Links) Machines(first string, dataA []byte, second string, dataB []byte) error {
	atA, err := heardBy(first, dataA)
	if err != nil {
		return err
	}
	atB, err := heardBy(second, dataB)
	if err != nil {
		return err
	}
	pairs := links(atA, atB)
	if len(pairs) > MaxPorts { // names that are there many times
		return fmt.Errorf("%s and %s have more links than are want %d", first, second, MaxPorts)
	}
	if len(pairs) == 0 {
		return fmt.Errorf("%s and %s have no link in common: %s, and %s (want two machines, each of which hears a "+
			"port that has the name of the interface by which the other hears it)", first, second, hears(first, atA),
			hears(second, atB))
	}
	used := map[string]bool{}
	for _, p := range pairs {
		// The port of the first machine is the one that the second hears.
		a := linkcheck.FromPDU(p.b.Name.String(), p.b.Address, &p.b.PDU)
		b := linkcheck.FromPDU(p.a.Name.String(), p.a.Address, &p.a.PDU)
		// The port itself counts too: a link with more than two ports has no one neighbour to agree with.
		a.Neighbours, b.Neighbours = 1+neighbours(atA, p.a.Interface), 1+neighbours(atB, p.b.Interface)
		used["a "+p.a.Interface], used["b "+p.b.Interface] = true, true
		l.Compare(&a, &b, first, 0)
	}
	for side, at := range [][]Seen{atA, atB} {
		var others []string
		for i := range at {
			if n := at[i].Interface; !used[string("ab"[side])+" "+n] {
				used[string("ab"[side])+" "+n] = true
				others = append(others, n)
			}
		}
		if len(others) > 0 {
			l.Notes = append(l.Notes, fmt.Sprintf("not links to the other machine, and not compared: %s of %s",
				strings.Join(others, ", "), []string{first, second}[side]))
		}
	}
	return nil
}

// heardBy reads what a machine hears.
func heardBy(name string, data []byte) ([]Seen, error) {
	heard, err := Neighbours(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return heard, nil
}

// heardPair is what each end of a link hears of the other.
type heardPair struct{ a, b *Seen }

// links finds the links between two machines: each port is named by the interface at which the other is heard. A
// machine may name its ports by address. Then the names decide nothing, and a link is known only if each machine hears
// one port.
func links(atA, atB []Seen) (out []heardPair) {
	for i := range atA {
		for j := range atB {
			if len(out) > MaxPorts {
				return out // refused
			}
			a, b := &atA[i], &atB[j]
			// The subtype of the port id says that it is the name of an interface (802.1AB, 8.5.3). Both have to name
			// each other, because names such as eth0 are on every machine.
			if a.Name.Port.Subtype == dcbx.PortInterface && b.Name.Port.Subtype == dcbx.PortInterface &&
				a.Name.PortName() == b.Interface && b.Name.PortName() == a.Interface {
				out = append(out, heardPair{a, b})
			}
		}
	}
	if len(out) > 0 || len(atA) != 1 || len(atB) != 1 {
		return out
	}
	fits := func(heard, by *Seen) bool { // the port that is heard can be the interface that hears
		return heard.Name.Port.Subtype != dcbx.PortInterface || heard.Name.PortName() == by.Interface
	}
	if a, b := &atA[0], &atB[0]; fits(a, b) && fits(b, a) {
		out = append(out, heardPair{a, b})
	}
	return out
}

// neighbours returns how many ports an interface hears.
func neighbours(heard []Seen, name string) (n int) {
	for i := range heard {
		if heard[i].Interface == name {
			n++
		}
	}
	return n
}

// hears says what a machine hears, in short.
func hears(name string, heard []Seen) string {
	if len(heard) == 0 {
		return name + " hears nothing"
	}
	return fmt.Sprintf("%s hears %s on %s and %d more", name, heard[0].Name, heard[0].Interface, len(heard)-1)
}
