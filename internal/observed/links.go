package observed

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// Links are links compared, whose ends are found in what ports were observed to send, and in topologies.
type Links struct {
	// File reads a topology, and Port finds what it says of a port.
	File func(name string) (*topology.File, error)
	Port func(p linkcheck.FilePort) (linkcheck.End, error)

	Results []linkcheck.Result
	Pairs   [][2]linkcheck.End // the ends of the results
	Notes   []string           // what was not compared, and why
}

// Compare compares two ends. The link is named in a line of a file; 0: in the file as a whole.
func (l *Links) Compare(a, b *linkcheck.End, file string, line int) {
	r := linkcheck.Compare(a, b)
	for i := range r.Findings {
		r.Findings[i].File, r.Findings[i].Line = file, line
	}
	l.Results, l.Pairs = append(l.Results, r), append(l.Pairs, [2]linkcheck.End{*a, *b})
}

// Capture compares two ports that send LLDP in a capture of a name, or a port of a topology with the one that it hears;
// near "": there is none.
func (l *Links) Capture(name string, data []byte, near string) error {
	h, err := Capture(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	// Frames that cannot be read do not end the run: the next frame of the same port says the same.
	if h.RefusedCount > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("%s of LLDP cannot be read: %v", counted(h.RefusedCount, "frame"), h.Refused))
	}
	var ends []linkcheck.End
	for i := range h.Senders {
		s := &h.Senders[i]
		ends = append(ends, linkcheck.FromPDU(s.Name.String(), s.Address, &s.PDU))
		ends[i].Neighbours = len(h.Senders)
	}
	if near != "" {
		if ends, err = l.withTopology(near, ends); err != nil {
			return err
		}
	}
	if len(ends) < 2 {
		return fmt.Errorf("%s: %s, LLDP comes from %s (want the LLDP of two ports, or of one and FILE:PORT)", name,
			counted(h.Packets, "packet"), counted(len(h.Senders), "port"))
	}
	// A capture of a mirror port has many ports, and does not say which of them are linked.
	if len(ends) > 2 {
		l.Notes = append(l.Notes, "compared are the first two ports: "+ends[0].Name+" and "+ends[1].Name)
	}
	l.Compare(&ends[0], &ends[1], name, 0)
	return nil
}

// withTopology puts a port of a topology in front of the ports of a capture. A port of the capture that has its name is
// the same port: it says what the topology does not, that it sends DCBX.
func (l *Links) withTopology(place string, heard []linkcheck.End) ([]linkcheck.End, error) {
	p, err := linkcheck.ParseFilePort(place)
	if err != nil {
		return nil, err
	}
	near, err := l.Port(p)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(heard, func(e linkcheck.End) bool { return e.Port.PortName() == p.Port })
	if i >= 0 && len(heard) > 1 {
		// The topology says what is planned, and the capture what is sent: the end has both.
		near.Sent, near.Address, near.Port, near.Neighbours = heard[i].Sent, heard[i].Address, heard[i].Port,
			heard[i].Neighbours
		heard = slices.Delete(heard, i, i+1)
	} else if len(heard) == 2 {
		return nil, fmt.Errorf("the capture has two ports, %s and %s, and none of the name %s (want a capture of the "+
			"port's link, or of the other end's LLDP alone)", heard[0].Name, heard[1].Name, p.Port)
	}
	return append([]linkcheck.End{near}, heard...), nil
}

// Neighbours compares the ports of a topology, or the one of them that is named, with what lldpd hears on the
// interfaces of their names: the JSON of lldpcli, and its name.
func (l *Links) Neighbours(name string, data []byte, near string) error {
	file, port := near, ""
	if strings.Contains(near, ":") {
		p, err := linkcheck.ParseFilePort(near)
		if err != nil {
			return err
		}
		file, port = p.File, p.Port
	}
	heard, err := heardBy(name, data)
	if err != nil {
		return err
	}
	f, err := l.File(file)
	if err != nil {
		return err
	}
	var silent, foreign []string
	known := map[string]bool{}
	for i := range f.Intent.Ports {
		p := &f.Intent.Ports[i]
		if known[p.Name] = true; port != "" && p.Name != port {
			continue
		}
		var far []Seen
		for _, s := range heard {
			if s.Interface == p.Name {
				far = append(far, s)
			}
		}
		// Silence is no difference: LLDP may be off at the other end.
		if len(far) == 0 {
			silent = append(silent, p.Name)
			continue
		}
		self := linkcheck.FromIntent(linkcheck.FilePort{File: file, Port: p.Name}.String(), &f.Intent, i)
		end := linkcheck.FromPDU(far[0].Name.String(), far[0].Address, &far[0].PDU)
		end.Neighbours = 1 + len(far)
		l.Compare(&self, &end, name, 0)
	}
	if port != "" && !known[port] {
		_, err := l.Port(linkcheck.FilePort{File: file, Port: port})
		return err
	}
	for _, s := range heard {
		if !known[s.Interface] && !slices.Contains(foreign, s.Interface) {
			foreign = append(foreign, s.Interface)
		}
	}
	if len(l.Results) == 0 {
		return fmt.Errorf("%s hears nothing on a port of %s (want interfaces with the names of the topology's ports)", name,
			near)
	}
	if len(silent) > 0 {
		l.Notes = append(l.Notes, "nothing is heard, and nothing compared, on "+buffer.FoldPorts(silent))
	}
	if len(foreign) > 0 {
		l.Notes = append(l.Notes, "not ports of the topology: "+strings.Join(foreign, ", "))
	}
	return nil
}

// counted prints a number of things.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return unit.Thousands(n) + " " + thing
}
