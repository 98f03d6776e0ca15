package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/observed"
)

// This file finds the ends of links in what ports were observed to send.

// capture compares two ports that send LLDP in a capture, or a port of a topology with the one that it hears.
func (c *linkRun) capture(name string, args []string) error {
	shown, data, err := cli.ReadInput(c.cmd, name)
	if err != nil {
		return err
	}
	h, err := observed.Capture(data)
	if err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	// Frames that cannot be read do not end the run: the next frame of the same port says the same.
	if h.RefusedCount > 0 {
		c.notes = append(
			c.notes,
			fmt.Sprintf("%s of LLDP cannot be read: %v", cli.Plural(h.RefusedCount, "frame", "frames"),
				h.Refused),
		)
	}
	var ends []linkcheck.End
	for i := range h.Senders {
		s := &h.Senders[i]
		ends = append(ends, linkcheck.FromPDU(s.Name.String(), s.Address, &s.PDU))
		ends[i].Neighbours = len(h.Senders)
	}
	if len(args) == 1 {
		if ends, err = c.withTopology(args[0], ends); err != nil {
			return err
		}
	}
	if len(ends) < 2 {
		return fmt.Errorf("%s: %s, LLDP comes from %s (want the LLDP of two ports, or of one and FILE:PORT)", shown,
			cli.Plural(h.Packets, "packet", "packets"), cli.Plural(len(h.Senders), "port", "ports"))
	}
	// A capture of a mirror port has many ports, and does not say which of them are linked.
	if len(ends) > 2 {
		c.notes = append(c.notes, "compared are the first two ports: "+ends[0].Name+" and "+ends[1].Name)
	}
	c.compare(&ends[0], &ends[1], shown, 0)
	return nil
}

// withTopology puts a port of a topology in front of the ports of a capture. A port of the capture that has its name is
// the same port: it says what the topology does not, that it sends DCBX.
func (c *linkRun) withTopology(place string, heard []linkcheck.End) ([]linkcheck.End, error) {
	p, err := linkcheck.ParseFilePort(place)
	if err != nil {
		return nil, err
	}
	near, err := c.end(p, cli.Named(c.cmd))
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
		return nil, fmt.Errorf(
			"the capture has two ports, %s and %s, and none of the name %s (want a capture of the "+
				"port's link, or of the other end's LLDP alone)",
			heard[0].Name,
			heard[1].Name,
			p.Port,
		)
	}
	return append([]linkcheck.End{near}, heard...), nil
}

// lldpcli compares the ports of a topology with what lldpd hears on the interfaces of their names.
func (c *linkRun) lldpcli(name, place string) error {
	file, port, err := c.portsOf(place)
	if err != nil {
		return err
	}
	shown, data, err := cli.ReadInput(c.cmd, name)
	if err != nil {
		return err
	}
	heard, err := observed.Neighbours(data)
	if err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	f, err := c.file(file, cli.Named(c.cmd))
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
		var far []observed.Seen
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
		near := linkcheck.FromIntent(linkcheck.FilePort{File: file, Port: p.Name}.String(), &f.Intent, i)
		end := linkcheck.FromPDU(far[0].Name.String(), far[0].Address, &far[0].PDU)
		end.Neighbours = 1 + len(far)
		c.compare(&near, &end, shown, 0)
	}
	if port != "" && !known[port] {
		_, err := c.end(linkcheck.FilePort{File: file, Port: port}, cli.Named(c.cmd))
		return err
	}
	for _, s := range heard {
		if !known[s.Interface] && !slices.Contains(foreign, s.Interface) {
			foreign = append(foreign, s.Interface)
		}
	}
	if len(c.results) == 0 {
		return fmt.Errorf("%s hears nothing on a port of %s (want interfaces with the names of the topology's ports)", shown,
			place)
	}
	if len(silent) > 0 {
		c.notes = append(c.notes, "nothing is heard, and nothing compared, on "+buffer.FoldPorts(silent))
	}
	if len(foreign) > 0 {
		c.notes = append(c.notes, "not ports of the topology: "+strings.Join(foreign, ", "))
	}
	return nil
}
