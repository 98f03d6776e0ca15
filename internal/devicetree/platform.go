package devicetree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// readPlatform makes the ports of the interfaces of platform.json in the modes of hwsku.json
// (parse_platform_json_file in src/sonic-config-engine/portconfig.py). The order of ports is that of their interfaces.
// None, and no error: platform.json has no interfaces.
func readPlatform(name string, text []byte, modesName string, modes []byte) (out []Port, err error) {
	interfaces, err := interfacesOf(name, text)
	if err != nil || len(interfaces) == 0 {
		return nil, err
	}
	chosen, err := interfacesOf(modesName, modes)
	if err != nil {
		return nil, err
	}
	byName := map[string]*statements.Statement{}
	for _, mode := range chosen {
		byName[mode.Word(0)] = mode
	}
	for _, in := range interfaces {
		mode := byName[in.Word(0)]
		if mode == nil {
			continue
		}
		ports, err := childPorts(in, mode, byName)
		if err != nil {
			return nil, fmt.Errorf("%s line %d, %s line %d: %s: %w", name, in.Line, modesName, mode.Line, in.Word(0), err)
		}
		for i := range ports {
			ports[i].Line = in.Line
		}
		if len(out)+len(ports) > mostPorts {
			return nil, fmt.Errorf("%s: want at most %d ports", name, mostPorts)
		}
		out = append(out, ports...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no interface of it is in %s", name, modesName)
	}
	return out, nil
}

// interfacesOf returns the interfaces of a file.
func interfacesOf(name string, text []byte) ([]*statements.Statement, error) {
	tree, err := statements.JSON(name, text)
	if err != nil {
		return nil, err
	}
	all := tree.Root.Find("interfaces")
	if all.Word(1) != "" {
		return nil, &fielderr.Located{File: name, Line: all.Line,
			Err: fmt.Errorf("interfaces is %s: want an object", fielderr.Quote(all.Word(1)))}
	}
	return all.Active(), nil
}

// fromModes are the fields that hwsku.json adds to the ports of an interface.
var fromModes = []string{"fec", "autoneg", "role"}

// childPorts makes the ports of an interface in a mode.
func childPorts(in, mode *statements.Statement, modes map[string]*statements.Statement) ([]Port, error) {
	wanted, lanes := mode.Find("default_brkout_mode").Word(1), in.Find("lanes").Word(1)
	parts, err := breakout(wanted, lanes)
	if err != nil {
		return nil, err
	}
	aliases, err := aliasesOf(in.Find("breakout_modes"), wanted, parts, lanes)
	if err != nil {
		return nil, err
	}
	ports, err := portsOf(in.Word(0), parts, strings.Split(lanes, ","), strings.Split(in.Find("index").Word(1), ","),
		aliases)
	if err != nil {
		return nil, err
	}
	for i := range ports {
		for _, f := range modes[ports[i].Name].Active() {
			for n := range ports {
				if slices.Contains(fromModes, f.Word(0)) {
					ports[n].set(f.Word(0), f.Word(1))
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
func aliasesOf(modes *statements.Statement, wanted string, chosen []part, lanes string) (aliases []string, err error) {
	if modes == nil {
		return nil, fmt.Errorf("no breakout_modes")
	}
	var names []string
	for _, m := range modes.Under {
		parts, err := breakout(m.Word(0), lanes)
		if err != nil {
			return nil, err
		}
		if !sameParts(parts, chosen) {
			names = append(names, m.Word(0))
			continue
		}
		wrong := len(m.Words) > 1
		for _, alias := range m.Under { // an element of a list has no key
			wrong = wrong || alias.Word(0) != "" || len(alias.Words) != 2
			aliases = append(aliases, alias.Word(1))
		}
		if wrong {
			return nil, fmt.Errorf("breakout_modes %s is %s: want a list with the alias of each port, such as [\"Eth1\"]",
				m.Word(0), fielderr.Quote(m.Word(1)))
		}
		return aliases, nil
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
