package cabling

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/inventory"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/unit"
)

// rows calls each with the rows of a CSV file by their columns. A row can be shorter than the header.
func (l *List) rows(file, text string, each func(at place, cell func(column string) string)) error {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	head, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	column := map[string]int{}
	for i, name := range head {
		column[strings.TrimSpace(name)] = i
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		line, _ := r.FieldPos(0)
		each(place{file, line}, func(name string) string {
			if i, known := column[name]; known && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		})
	}
}

// labLinks reads the links of a sonic-mgmt connection graph: StartDevice, StartPort, EndDevice, EndPort, BandWidth in
// Mb/s.
func (l *List) labLinks(file, text string) error {
	return l.rows(file, text, func(at place, cell func(string) string) {
		c := cable{ends: [2]End{{cell("StartDevice"), cell("StartPort")}, {cell("EndDevice"), cell("EndPort")}},
			from: []place{at}}
		if text := cell("BandWidth"); text != "" {
			c.speed = l.megabits(at, text)
		}
		l.add(c)
	})
}

// megabits reads a speed in Mb/s.
func (l *List) megabits(at place, text string) unit.BitRate {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > 10_000_000 {
		l.fail(at, "%s Mb/s (want 1 to 10000000)", fielderr.Quote(text))
		return 0
	}
	return unit.BitRate(n) * 1000 * 1000
}

// labDevices reads the devices of a sonic-mgmt connection graph. A server is a host.
func (l *List) labDevices(file, text string) error {
	return l.rows(file, text, func(at place, cell func(string) string) {
		name, kind := clean(cell("Hostname")), cell("Type")
		if name == "" {
			return
		}
		n := l.node(name, at)
		n.role = kind
		if kind == "Server" {
			n.host, n.why = true, "Type Server"
		}
	})
}

// netbox reads cables of NetBox: an export or import with the names of both ends. Cables that do not end at interfaces
// of devices, and those that are taken away, are left out and counted.
func (l *List) netbox(file, text string) error {
	panels, going := 0, 0
	err := inventory.Cables(file, []byte(text), func(c inventory.Cable, wrong error) error {
		at, a, b := place{file, c.Line}, &c.Ends[0], &c.Ends[1]
		switch {
		case !a.Joins() || !b.Joins():
			panels++
		case c.Going:
			going++
		case wrong != nil:
			l.fail(at, "%v", wrong)
		default:
			l.add(cable{ends: [2]End{{a.Device, a.Name}, {b.Device, b.Name}}, from: []place{at}, length: c.Length.Or(0)})
		}
		return nil
	})
	if panels > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s: %d cables do not join two interfaces, such as those of patch panels, and "+
			"are left out", file, panels))
	}
	if going > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s: %d cables are being taken away, and are left out", file, going))
	}
	return err
}

// edge is an edge of a graph: two nodes, each with or without a port.
var edge = once.Pattern(`^\s*(` + dotEnd + `)\s*--\s*(` + dotEnd + `)\s*(?:\[[^\]]*\])?\s*;?\s*(?://.*|#.*)?$`)

const dotEnd = `(?:"[^"]*"|[\w.-]+)(?:\s*:\s*(?:"[^"]*"|[\w./-]+))?`

// vertex is a node of a graph with its attributes.
var vertex = once.Pattern(`^\s*("[^"]*"|[\w.-]+)\s*\[([^\]]*)\]\s*;?\s*$`)

var roleOf = once.Pattern(`\brole\s*=\s*"?([\w-]+)`)

// dot reads a graph in Graphviz's language, one edge a line, as PTM and UFM Cable Validation have it.
func (l *List) dot(file, text string) error {
	number := 0
	for line := range strings.Lines(text) {
		number++
		at := place{file, number}
		line = strings.TrimRight(line, "\r\n")
		if len(line) > 4096 {
			l.fail(at, "a line of %d characters (want at most 4096)", len(line))
			continue
		}
		switch m, v := edge().FindStringSubmatch(line), vertex().FindStringSubmatch(line); {
		case m != nil:
			l.add(cable{ends: [2]End{dotPort(m[1]), dotPort(m[2])}, from: []place{at}})
		case v != nil && !strings.EqualFold(v[1], "node") && !strings.EqualFold(v[1], "edge") &&
			!strings.EqualFold(v[1], "graph"):
			n := l.node(clean(strings.Trim(v[1], `"`)), at)
			if r := roleOf().FindStringSubmatch(v[2]); r != nil {
				n.role = r[1]
				if strings.EqualFold(r[1], "host") || strings.EqualFold(r[1], "server") {
					n.host, n.why = true, "role "+r[1]
				}
			}
		case strings.Contains(line, "--"):
			l.fail(at, "%s (want one edge in a line, such as \"leaf1\":\"swp49\" -- \"spine1\":\"swp1\")",
				fielderr.Quote(line))
		}
	}
	return nil
}

// dotPort reads an end of an edge.
func dotPort(text string) End {
	node, port := text, ""
	if strings.HasPrefix(text, `"`) {
		if end := strings.IndexByte(text[1:], '"') + 2; end < len(text) {
			node, port = text[:end], text[end:]
		}
	} else if i := strings.IndexByte(text, ':'); i >= 0 {
		node, port = text[:i], text[i:]
	}
	return End{strings.Trim(node, `"`), strings.Trim(strings.TrimLeft(port, ": "), `"`)}
}

// Lines of ibnetdiscover: a switch or adapter, and what is at one of its ports.
var (
	ibNode = once.Pattern(`^(Switch|Ca)\s+\d+\s+"([^"]+)"\s+#\s+"([^"]*)"`)
	ibPort = once.Pattern(`^\[(\d+)\](?:\([^)]*\))?\s+"([^"]+)"\[(\d+)\]`)
)

// ibnetdiscover reads what ibnetdiscover prints. Both ends tell a cable; a name is the description with the end of the
// GUID, because descriptions need not differ.
func (l *List) ibnetdiscover(file, text string) error {
	names, number := map[string]string{}, 0
	for line := range strings.Lines(text) {
		number++
		if m := ibNode().FindStringSubmatch(line); m != nil {
			name, id := clean(m[3]), m[2]
			if name == "" || l.named[name] != nil {
				name = clean(name + "-" + id[max(0, len(id)-6):])
			}
			names[id] = name
			n := l.node(name, place{file, number})
			if m[1] == "Ca" {
				n.host, n.why = true, "Ca"
			}
		}
	}
	number = 0
	here := ""
	for line := range strings.Lines(text) {
		number++
		at := place{file, number}
		if m := ibNode().FindStringSubmatch(line); m != nil {
			here = names[m[2]]
			continue
		}
		m := ibPort().FindStringSubmatch(line)
		switch {
		case m == nil:
		case here == "" || names[m[2]] == "":
			l.fail(at, "%s leads to a node that the file does not list (want its Switch or Ca line)",
				fielderr.Quote(strings.TrimSpace(line)))
		default:
			l.add(cable{ends: [2]End{{here, m[1]}, {names[m[2]], m[3]}}, from: []place{at}})
		}
	}
	return nil
}

// numbers tells whether a file begins as a topology of ns-3: a line of three numbers.
func numbers(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(first)
	for _, f := range fields {
		if _, err := strconv.Atoi(f); err != nil {
			return false
		}
	}
	return len(fields) == 3
}

// ns3 reads a topology of the ns-3 of HPCC and astra-sim: nodes, switches and links; the numbers of the switches; and
// for each link both ends, the rate, the delay and an error rate. As HPCC does, it stops after that number of links:
// people write notes behind them. Delays are not read as lengths.
func (l *List) ns3(file, text string) error {
	number, links, switches := 0, 0, map[string]bool{}
	for line := range strings.Lines(text) {
		number++
		at := place{file, number}
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case number == 1:
			links, _ = strconv.Atoi(fields[2]) // it is a number: see numbers
		case number == 2:
			for _, f := range fields {
				switches["n"+f] = true
			}
		case links == 0:
			l.notes = append(l.notes, fmt.Sprintf("%v: lines behind the links are not read", at))
			return nil
		case len(fields) < 4:
			l.fail(at, "%d columns (want source, destination, rate and delay)", len(fields))
			links--
		default:
			links--
			rate, err := unit.ParseBitRate(strings.TrimSuffix(fields[2], "bps"))
			if err != nil {
				l.fail(at, "rate %s (want one such as 100Gbps)", fielderr.Quote(fields[2]))
				continue
			}
			l.add(cable{ends: [2]End{{Node: "n" + fields[0]}, {Node: "n" + fields[1]}}, speed: rate, from: []place{at}})
			for _, f := range fields[:2] {
				if name := clean("n" + f); !switches[name] {
					l.host(name, "no switch of line 2", at)
				}
			}
		}
	}
	if links > 0 {
		l.fail(place{file, number}, "%d links fewer than line 1 says", links)
	}
	return nil
}

// minigraph reads a SONiC minigraph: the links of PngDec/DeviceInterfaceLinks/DeviceLinkBase, and the types of nodes of
// PngDec/Devices/Device. Links within a chassis are left out.
func (l *List) minigraph(file, text string) error {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = true
	var here map[string]string // the fields of the link or device that the decoder is in; nil: of none
	var devices []map[string]string
	element, depth, inside, internal := "", 0, -1, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		line, _ := d.InputPos()
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			if depth > 64 {
				return fmt.Errorf("%s:%d: %w", file, line, errTooDeep)
			}
			element = t.Name.Local
			if element == "DeviceLinkBase" || element == "Device" {
				here, inside = map[string]string{}, depth
				for _, a := range t.Attr {
					here["@"+a.Name.Local] = a.Value
				}
			}
		case xml.CharData:
			if here != nil && depth == inside+1 {
				here[element] += string(t)
			}
		case xml.EndElement:
			switch {
			case depth != inside || here == nil:
			case t.Name.Local == "Device":
				here["line"] = strconv.Itoa(line)
				devices = append(devices, here)
				here = nil
			case strings.TrimSpace(here["ChassisInternal"]) == "true":
				internal++
				here = nil
			default:
				l.minigraphLink(place{file, line}, here)
				here = nil
			}
			depth--
			element = ""
		}
	}
	if internal > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s: %d links within a chassis are left out", file, internal))
	}
	for _, f := range devices {
		line, _ := strconv.Atoi(f["line"])
		l.typed(f["Hostname"], f["@type"], place{file, line})
	}
	return nil
}

// typed gives a node that has a cable the type that SONiC's files have for it. A server is a host, and so is a smart
// cable, which is in the place of one.
func (l *List) typed(name, kind string, at place) {
	name = clean(name)
	n := l.named[name]
	if n == nil || kind == "" {
		return
	}
	n.role = kind
	if kind == "Server" || kind == "SmartCable" {
		l.host(name, "type "+kind, at)
	}
}

// minigraphLink adds a link of a minigraph.
func (l *List) minigraphLink(at place, link map[string]string) {
	if kind := link["ElementType"]; kind != "" && kind != "DeviceInterfaceLink" {
		return // a console or management link
	}
	c := cable{ends: [2]End{{link["StartDevice"], strings.TrimSpace(link["StartPort"])},
		{link["EndDevice"], strings.TrimSpace(link["EndPort"])}}, from: []place{at}}
	if text := strings.TrimSpace(link["Bandwidth"]); text != "" {
		c.speed = l.megabits(at, text)
	}
	l.add(c)
}
