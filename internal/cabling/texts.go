package cabling

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/inventory"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/unit"
)

// labLinks reads the links of a sonic-mgmt connection graph: StartDevice, StartPort, EndDevice, EndPort, BandWidth in
// Mb/s.
func (s *source) labLinks() error {
	return inventory.Rows(s.file, []byte(s.text), func(line int, cell func(string) string) {
		s.cable(line, End{cell("startdevice"), cell("startport")}, End{cell("enddevice"), cell("endport")},
			s.megabits(line, cell("bandwidth")), 0)
	})
}

// megabits reads a speed in Mb/s; "": not given.
func (s *source) megabits(line int, text string) unit.BitRate {
	n, err := strconv.ParseInt(text, 10, 64)
	if text != "" && (err != nil || n < 1 || n > 10_000_000) {
		s.fail(line, "%s Mb/s (want 1 to 10000000)", fielderr.Quote(text))
		return 0
	}
	return unit.BitRate(n) * 1000 * 1000
}

// labDevices reads the devices of a sonic-mgmt connection graph. A server is a host.
func (s *source) labDevices() error {
	return inventory.Rows(s.file, []byte(s.text), func(line int, cell func(string) string) {
		if name, kind := cell("hostname"), cell("type"); name != "" {
			s.is(line, name, "Type", kind, "Server").role = kind
		}
	})
}

// netbox reads cables of NetBox: an export or import with the names of both ends. Cables that do not end at interfaces
// of devices, and those that are taken away, are left out and counted.
func (s *source) netbox() error {
	panels, going := 0, 0
	err := inventory.Cables(s.file, []byte(s.text), func(c inventory.Cable, wrong error) error {
		a, b := &c.Ends[0], &c.Ends[1]
		switch {
		case !a.Joins() || !b.Joins():
			panels++
		case c.Going:
			going++
		case wrong != nil:
			s.fail(c.Line, "%v", wrong)
		default:
			s.cable(c.Line, End{a.Device, a.Name}, End{b.Device, b.Name}, 0, c.Length.Or(0))
		}
		return nil
	})
	s.leftOut(panels, "cables do not join two interfaces, such as those of patch panels, and are")
	s.leftOut(going, "cables are being taken away, and are")
	return err
}

// A line of a graph: an edge of two nodes, each with or without a port; or a node with its attributes.
var (
	edge   = once.Pattern(`^\s*` + dotEnd + `\s*--\s*` + dotEnd + `\s*(?:\[[^\]]*\])?\s*;?\s*(?://.*|#.*)?$`)
	vertex = once.Pattern(`^\s*("[^"]*"|[\w.-]+)\s*\[([^\]]*)\]\s*;?\s*$`)
	roleOf = once.Pattern(`\brole\s*=\s*"?([\w-]+)`)
)

// dotEnd is an end of an edge: its node, and its port.
const dotEnd = `("[^"]*"|[\w.-]+)(?:\s*:\s*("[^"]*"|[\w./-]+))?`

// dot reads a graph in Graphviz's language, one edge a line, as PTM and UFM Cable Validation have it. A node of role
// host or server is a host.
func (s *source) dot() error {
	bare := func(text string) string { return strings.Trim(text, `"`) }
	for line, text := range s.lines() {
		if len(text) > 4096 {
			s.fail(line, "a line of %d characters (want at most 4096)", len(text))
			continue
		}
		m, v := edge().FindStringSubmatch(text), vertex().FindStringSubmatch(text)
		switch {
		case m != nil:
			s.cable(line, End{bare(m[1]), bare(m[2])}, End{bare(m[3]), bare(m[4])}, 0, 0)
		case v != nil && slices.Contains([]string{"node", "edge", "graph"}, strings.ToLower(v[1])):
		case v != nil:
			role := append(roleOf().FindStringSubmatch(v[2]), "", "")[1]
			n := s.is(line, bare(v[1]), "role", role, "host", "server")
			n.role = cmp.Or(role, n.role)
		case strings.Contains(text, "--"):
			s.fail(line, "%s (want one edge in a line, such as \"leaf1\":\"swp49\" -- \"spine1\":\"swp1\")",
				fielderr.Quote(text))
		}
	}
	return nil
}

// Lines of ibnetdiscover: a switch or adapter, and what is at one of its ports.
var (
	ibNode = once.Pattern(`^(Switch|Ca)\s+\d+\s+"([^"]+)"\s+#\s+"([^"]*)"`)
	ibPort = once.Pattern(`^\[(\d+)\](?:\([^)]*\))?\s+"([^"]+)"\[(\d+)\]`)
)

// ibnetdiscover reads what ibnetdiscover prints. Both ends tell a cable; a name is the description with the end of the
// GUID, because descriptions need not differ. A node can be listed behind those that lead to it.
func (s *source) ibnetdiscover() error {
	names := map[string]string{}
	for line, text := range s.lines() {
		if m := ibNode().FindStringSubmatch(text); m != nil {
			name, id := clean(m[3]), m[2]
			if name == "" || s.named[name] != nil {
				name = clean(name + "-" + id[max(0, len(id)-6):])
			}
			names[id] = name
			s.is(line, name, "", m[1], "Ca")
		}
	}
	here := ""
	for line, text := range s.lines() {
		if m := ibNode().FindStringSubmatch(text); m != nil {
			here = names[m[2]]
			continue
		}
		m := ibPort().FindStringSubmatch(text)
		switch {
		case m == nil:
		case here == "" || names[m[2]] == "":
			s.fail(line, "%s leads to a node that the file does not list (want its Switch or Ca line)",
				fielderr.Quote(strings.TrimSpace(text)))
		default:
			s.cable(line, End{here, m[1]}, End{names[m[2]], m[3]}, 0, 0)
		}
	}
	return nil
}

// ns3 reads a topology of the ns-3 of HPCC and astra-sim: nodes, switches and links; the numbers of the switches; and
// for each link both ends, the rate, the delay and an error rate. As HPCC does, it stops after that number of links:
// people write notes behind them. Delays are not read as lengths.
func (s *source) ns3() error {
	last, links, switches := 0, 0, map[string]bool{}
	for line, text := range s.lines() {
		f := strings.Fields(text)
		last = line
		switch {
		case len(f) == 0:
		case line == 1:
			links, _ = strconv.Atoi(f[2]) // it is a number: see forms
		case line == 2:
			for _, x := range f {
				switches["n"+x] = true
			}
		case links == 0:
			s.note(line, "lines behind the links are not read")
			return nil
		case len(f) < 4:
			s.fail(line, "%d columns (want source, destination, rate and delay)", len(f))
			links--
		default:
			links--
			rate, err := unit.ParseBitRate(strings.TrimSuffix(f[2], "bps"))
			if err != nil {
				s.fail(line, "rate %s (want one such as 100Gbps)", fielderr.Quote(f[2]))
				continue
			}
			s.cable(line, End{Node: "n" + f[0]}, End{Node: "n" + f[1]}, rate, 0)
			for _, x := range f[:2] {
				if name := clean("n" + x); !switches[name] {
					s.is(line, name, "no switch of line", "2", "2")
				}
			}
		}
	}
	if links > 0 {
		s.fail(last, "%d links fewer than line 1 says", links)
	}
	return nil
}

// minigraph reads a SONiC minigraph: the links of PngDec/DeviceInterfaceLinks/DeviceLinkBase, and the types of nodes of
// PngDec/Devices/Device. Links within a chassis, for the console and for management are left out.
func (s *source) minigraph() error {
	// A device is a type and a name, a link all of the others.
	type entry struct {
		line                                                                                          int
		Kind                                                                                          string `xml:"type,attr"`
		Hostname, ElementType, ChassisInternal, StartDevice, StartPort, EndDevice, EndPort, Bandwidth string
	}
	var devices []entry
	internal := 0
	for d := xml.NewDecoder(strings.NewReader(s.text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		var x entry
		start, begins := token.(xml.StartElement)
		kind := start.Name.Local
		if begins && (kind == "Device" || kind == "DeviceLinkBase") {
			err = d.DecodeElement(&x, &start)
		}
		x.line, _ = d.InputPos()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", s.file, err)
		case kind == "Device":
			devices = append(devices, x)
		case kind != "DeviceLinkBase" || x.ElementType != "" && x.ElementType != "DeviceInterfaceLink":
		case strings.TrimSpace(x.ChassisInternal) == "true":
			internal++
		default:
			s.cable(x.line, End{x.StartDevice, strings.TrimSpace(x.StartPort)}, End{x.EndDevice, strings.TrimSpace(x.EndPort)},
				s.megabits(x.line, strings.TrimSpace(x.Bandwidth)), 0)
		}
	}
	s.leftOut(internal, "links within a chassis are")
	for _, x := range devices {
		s.typed(x.line, x.Hostname, x.Kind)
	}
	return nil
}

// typed gives a node that has a cable the type that SONiC's files have for it. A server is a host, and so is a smart
// cable, which is in the place of one.
func (s *source) typed(line int, name, kind string) {
	if s.named[clean(name)] != nil && kind != "" {
		s.is(line, name, "type", kind, "Server", "SmartCable").role = kind
	}
}
