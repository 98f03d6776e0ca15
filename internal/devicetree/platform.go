package devicetree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
)

// member is a member of a JSON object, in the order of the text. encoding/json keeps no order, and the order of ports
// is that of their interfaces.
type member struct {
	name  string
	value json.RawMessage
	line  int
}

// members reads an object.
func members(text []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, fmt.Errorf("want a JSON object")
	}
	var out []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{line: lineAt(text, int(d.InputOffset()))}
		m.name, _ = name.(string)
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		if len(out) == mostPorts {
			return nil, fmt.Errorf("line %d: want at most %d members", m.line, mostPorts)
		}
		out = append(out, m)
	}
	return out, nil
}

// member returns a member of an object by its name.
func find(all []member, name string) *member {
	for i := range all {
		if all[i].name == name {
			return &all[i]
		}
	}
	return nil
}

// text returns a JSON value as the text that CONFIG_DB has of it.
func (m *member) text() string {
	if m == nil {
		return ""
	}
	var s string
	if json.Unmarshal(m.value, &s) == nil {
		return s
	}
	return string(m.value)
}

// readPlatform makes the ports of the interfaces of platform.json in the modes of hwsku.json
// (parse_platform_json_file in src/sonic-config-engine/portconfig.py).
func readPlatform(name string, text []byte, modesName string, modes []byte) ([]Port, error) {
	interfaces, start, err := interfacesOf(name, text)
	if err != nil {
		return nil, err
	}
	chosen, modesStart, err := interfacesOf(modesName, modes)
	if err != nil {
		return nil, err
	}
	byName := map[string]*member{}
	for i := range chosen {
		byName[chosen[i].name] = &chosen[i]
	}
	var out []Port
	for _, in := range interfaces {
		mode := byName[in.name]
		if mode == nil {
			continue
		}
		ports, err := childPorts(in, mode.value, byName)
		if err != nil {
			return nil, fmt.Errorf("%s line %d, %s line %d: %s: %w", name, start+in.line, modesName,
				modesStart+mode.line, in.name, err)
		}
		for i := range ports {
			ports[i].Line = start + in.line
		}
		if len(out)+len(ports) > mostPorts {
			return nil, fmt.Errorf("%s: want at most %d ports", name, mostPorts)
		}
		out = append(out, ports...)
	}
	return out, nil
}

// interfacesOf returns the interfaces of a file, and the number of lines before them.
func interfacesOf(name string, text []byte) ([]member, int, error) {
	var whole any
	if err := unmarshal(text, &whole); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	top, err := members(text)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	m := find(top, "interfaces")
	if m == nil {
		return nil, 0, fmt.Errorf("%s: no interfaces", name)
	}
	out, err := members(m.value)
	if err != nil {
		return nil, 0, fmt.Errorf("%s line %d: interfaces: %w", name, m.line, err)
	}
	return out, m.line - 1, nil
}

// fromModes are the fields that hwsku.json adds to the ports of an interface.
var fromModes = []string{"fec", "autoneg", "role"}

// childPorts makes the ports of an interface in a mode.
func childPorts(in member, mode []byte, modes map[string]*member) ([]Port, error) {
	chosen, err := members(mode)
	if err != nil {
		return nil, err
	}
	properties, err := members(in.value)
	if err != nil {
		return nil, err
	}
	wanted := find(chosen, "default_brkout_mode").text()
	parts, err := breakout(wanted, find(properties, "lanes").text())
	if err != nil {
		return nil, err
	}
	aliases, err := aliasesOf(find(properties, "breakout_modes"), wanted, parts, find(properties, "lanes").text())
	if err != nil {
		return nil, err
	}
	lanes := strings.Split(find(properties, "lanes").text(), ",")
	index := strings.Split(find(properties, "index").text(), ",")
	ports, err := portsOf(in.name, parts, lanes, index, aliases)
	if err != nil {
		return nil, err
	}
	for i := range ports {
		stated := modes[ports[i].Name]
		if stated == nil {
			continue
		}
		fields, err := members(stated.value)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			for n := range ports {
				if slices.Contains(fromModes, f.name) {
					ports[n].set(f.name, f.text())
				}
			}
		}
	}
	return ports, nil
}

// part is a part of a breakout mode: 2x50G[25G](2) is two ports of 50 Gb/s on two lanes.
type part struct {
	ports, speed, lanes int
	also                []int // other speeds, in order
}

var breakoutPart = once.Pattern(`^(\d{1,6})x(\d{1,6}G?)(\[(?:\d{1,6}G?,?)*\])?(?:\((\d{1,6})\))?`)

// breakout reads a mode, such as 1x100G[40G] or 2x25G(2)+1x50G(2). Without a number of lanes a part has all.
func breakout(mode, lanes string) ([]part, error) {
	var out []part
	for text := range strings.SplitSeq(mode, "+") {
		m := breakoutPart().FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("default_brkout_mode %q: want such as 1x100G[40G] or 2x25G(2)+1x50G(2)", mode)
		}
		p := part{speed: megabits(m[2]), lanes: strings.Count(lanes, ",") + 1}
		p.ports, _ = strconv.Atoi(m[1])
		if m[4] != "" {
			p.lanes, _ = strconv.Atoi(m[4])
		}
		p.also = []int{p.speed}
		if m[3] != "" {
			for s := range strings.SplitSeq(m[3][1:len(m[3])-1], ",") {
				p.also = append(p.also, megabits(strings.TrimSpace(s)))
			}
		}
		slices.Sort(p.also)
		p.also = slices.Compact(p.also)
		if p.ports == 0 || p.lanes/p.ports == 0 {
			return nil, fmt.Errorf("default_brkout_mode %q: %d ports on %d lanes", mode, p.ports, p.lanes)
		}
		out = append(out, p)
	}
	return out, nil
}

func megabits(text string) int {
	n, _ := strconv.Atoi(strings.TrimSuffix(text, "G"))
	if strings.HasSuffix(text, "G") {
		n *= 1000
	}
	return n
}

func sameParts(a, b []part) bool {
	return slices.EqualFunc(a, b, func(a, b part) bool {
		return a.ports == b.ports && a.lanes == b.lanes && slices.Equal(a.also, b.also)
	})
}

// aliasesOf returns the aliases of the ports in a mode, which must be one that the platform has.
func aliasesOf(modes *member, wanted string, chosen []part, lanes string) ([]string, error) {
	if modes == nil {
		return nil, fmt.Errorf("no breakout_modes")
	}
	all, err := members(modes.value)
	if err != nil {
		return nil, fmt.Errorf("breakout_modes: %w", err)
	}
	var names []string
	for _, m := range all {
		parts, err := breakout(m.name, lanes)
		if err != nil {
			return nil, err
		}
		if sameParts(parts, chosen) {
			var aliases []string
			if json.Unmarshal(m.value, &aliases) != nil {
				return nil, fmt.Errorf("breakout_modes %s is %s: want a list with the alias of each port, such as [\"Eth1\"]",
					m.name, fielderr.Quote(m.text()))
			}
			return aliases, nil
		}
		names = append(names, m.name)
	}
	return nil, fmt.Errorf("default_brkout_mode is %s, which the platform does not have: want %s", fielderr.Quote(wanted),
		strings.Join(names, " "))
}

// fecSpeed is the speed of a lane from which FEC is on, in Mb/s.
const fecSpeed = 50_000

// portsOf makes the ports of the parts of a mode.
func portsOf(name string, parts []part, lanes, index, aliases []string) ([]Port, error) {
	base, err := strconv.Atoi(strings.ReplaceAll(name, "Ethernet", ""))
	if err != nil {
		return nil, fmt.Errorf("want Ethernet and a number")
	}
	total := 0
	for _, p := range parts {
		total += p.ports
	}
	var out []Port
	lane := 0
	for _, p := range parts {
		each := p.lanes / p.ports
		for range p.ports {
			n := len(out)
			if lane+each > len(lanes) || lane >= len(index) || n >= len(aliases) {
				return nil, fmt.Errorf("%d lanes, %d of index and %d aliases are too few for the mode", len(lanes),
					len(index), len(aliases))
			}
			subport := n + 1
			if total == 1 {
				subport = 0
			}
			port := Port{Name: "Ethernet" + strconv.Itoa(base+lane), Fields: []Field{{"alias", aliases[n]},
				{"lanes", strings.Join(lanes[lane:lane+each], ",")}, {"speed", strconv.Itoa(p.speed)},
				{"index", index[lane]}, {"subport", strconv.Itoa(subport)}}}
			if p.speed/each >= fecSpeed {
				port.set("fec", "rs")
			}
			out = append(out, port)
			lane += each
		}
	}
	return out, nil
}
