package fabric

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// This file writes a fabric as a scenario of the simulator: every switch with the registers of its plan, every cable,
// and traffic. Package backend/sim/scenario runs it.

// maxPairs bounds the flows of the key traffic, each from one host to another: as many as the simulator takes.
const maxPairs = 200_000

// flow is an entry of the key traffic: frames from each of some hosts to each of some others.
type flow struct {
	from, to          []int
	priority          int
	frame, size, rate string // as the file spells them; empty: the longest of the plans, no end, the rate of the cable
	start             string
}

// trafficOf reads the key traffic.
func (r *reader) trafficOf(list *document.Value) {
	pairs := 0
	for _, v := range list.Items() {
		f := v.Fields("from", "to", "priority", "frame", "size", "rate", "start")
		v.Need(f, "from", "to", "priority")
		x := flow{from: r.hostsOf(f["from"]), to: r.hostsOf(f["to"]), priority: int(f["priority"].Integer(0, 7)),
			frame: checked(f["frame"], unit.ParseBytes), size: checked(f["size"], unit.ParseBytes),
			rate: checked(f["rate"], unit.ParseBitRate), start: checked(f["start"], unit.ParseTime)}
		if pairs += len(x.from) * len(x.to); pairs > maxPairs {
			v.Fail(fmt.Sprintf("%d flows: want at most %d in all", pairs, maxPairs))
			return
		}
		r.traffic = append(r.traffic, x)
	}
}

// hostsOf reads a list of hosts.
func (r *reader) hostsOf(v *document.Value) []int {
	return r.all(v, true, " is a switch: want hosts, which send and receive")
}

// simulation is a fabric as a scenario.
type simulation struct {
	namer
	file     *File
	cables   []Cable
	intents  map[string]*buffer.Intent // by switch
	switches []Switch
	// The names of the hosts and switches of the scenario.
	hosts, nodes []string
	lossless     [8]bool // priorities that a plan pauses for
	credited     [8]bool // priorities with credits on a port
	used         [8]bool // priorities with traffic
	frames       [8]unit.Bytes
	dscp         [8]string
}

// Simulation returns a scenario of package backend/sim/scenario: the switches with their plans, the cables that are up,
// and the traffic of the file. Without the key traffic all hosts send to the first one, at line rate in each lossless
// priority. With the name of one switch it is that switch alone, and each neighbour is a host.
//
// Plan returns the intent of a switch. The files are those that the scenario names, by their paths, and what says in a
// line which frames are sent. The error says what the file does not say: the speed of a cable, or hosts.
func (f *File) Simulation(one string, plan func(*Switch) (*buffer.Intent, error)) (text []byte, files map[string][]byte,
	what string, err error) {
	s := &simulation{namer: newNamer(), file: f, intents: map[string]*buffer.Intent{}}
	all, cables, err := f.Planned()
	if err != nil {
		return nil, nil, "", err
	}
	s.switches = slices.DeleteFunc(all, func(x Switch) bool { return one != "" && x.Name != one })
	if files, err = s.read(plan); err != nil {
		return nil, nil, "", err
	}
	s.cables = slices.DeleteFunc(cables, func(c Cable) bool {
		return c.Down || s.intents[c.A.Node] == nil && s.intents[c.B.Node] == nil
	})
	flows, what, err := s.flows(one)
	if err != nil {
		return nil, nil, "", err
	}
	links, switches, err := s.links()
	if err != nil {
		return nil, nil, "", err
	}
	return s.text(what, runs, "switches:\n- "+strings.Join(switches, "\n- ")+"\n", links, flows), files, what, nil
}

// read plans the switches: each kind is one file.
func (s *simulation) read(plan func(*Switch) (*buffer.Intent, error)) (map[string][]byte, error) {
	files, folder := map[string][]byte{}, filepath.Dir(s.file.name)
	for i := range s.switches {
		x := &s.switches[i]
		in, err := plan(x)
		if err != nil {
			return nil, err
		}
		s.nodes = append(s.nodes, x.Name)
		s.intents[x.Name] = in
		if files[filepath.Join(folder, planFile(x))] != nil {
			continue
		}
		// The plan is written as a topology: the scenario reads it as it reads any other.
		w, err := topology.Write(*in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Name, err)
		}
		files[filepath.Join(folder, planFile(x))] = w.Topology
		for name, data := range w.Files {
			files[filepath.Join(folder, filepath.Dir(planFile(x)), name)] = data
		}
		s.classes(in)
	}
	return files, nil
}

// planFile is the topology of a switch, one for each kind.
func planFile(x *Switch) string { return filepath.Join(fmt.Sprintf("kind%d", x.Kind), "topology.yaml") }

// classes notes what the plan of a switch says of priorities.
func (s *simulation) classes(in *buffer.Intent) {
	for k := range in.Classes {
		c := &in.Classes[k]
		longest := c.MTU
		for i := range in.Ports {
			// The shortest MTU of the ports, so that no port refuses the frames that are sent.
			longest = min(cmp.Or(longest, in.Ports[i].MTU), in.Ports[i].MTU)
		}
		for _, p := range c.Priorities {
			s.lossless[p] = s.lossless[p] || c.Lossless
			s.credited[p] = s.credited[p] || c.Credits
			s.frames[p] = min(cmp.Or(s.frames[p], longest), longest)
			if points := in.DSCP[p].List(); len(points) > 0 && s.dscp[p] == "" {
				s.dscp[p] = fmt.Sprintf(", dscp: %d", points[0])
			}
		}
	}
}

// endpoints are the hosts of the scenario: those of the file that have a cable, or the neighbours of the one switch.
func (s *simulation) endpoints() (out []int) {
	seen := map[string]bool{}
	for _, c := range s.cables {
		for _, p := range []Port{c.A, c.B} {
			if s.intents[p.Node] == nil && !seen[p.Node] {
				seen[p.Node] = true
				out = append(out, s.file.number[p.Node])
			}
		}
	}
	return out
}

// flows are the entries of flows of the scenario, and a line about them.
func (s *simulation) flows(one string) (out []string, what string, err error) {
	ends, pairs, traffic := s.endpoints(), 0, s.file.traffic
	s.hosts = s.file.names(ends)
	if one != "" || len(traffic) == 0 {
		if len(ends) < 2 {
			return nil, "", errors.New("fewer than two hosts have a cable: want hosts, which send and receive")
		}
		var in []string
		traffic = nil
		for p := range s.lossless {
			if s.lossless[p] {
				in = append(in, fmt.Sprint(p))
				traffic = append(traffic, flow{from: ends[1:], to: ends[:1], priority: p})
			}
		}
		if len(in) == 0 {
			return nil, "", errors.New("no plan has a lossless class: want the key traffic, which says what hosts send")
		}
		what = fmt.Sprintf("%d nodes send to %s in priority %s", len(ends)-1, s.hosts[0], strings.Join(in, ", "))
	}
	for _, x := range traffic {
		if x.frame == "" && s.frames[x.priority] == 0 {
			return nil, "", fmt.Errorf("%s: traffic of priority %d, of which no plan has a class: want its frame, such as 1500B",
				s.file.name, x.priority)
		}
		pairs += len(x.from) * len(x.to)
		keys := []string{fmt.Sprintf("from: [%s], to: [%s], class: priority%d, frame: %s", s.quoted(s.file.names(x.from)),
			s.quoted(s.file.names(x.to)), x.priority, cmp.Or(x.frame, s.frames[x.priority].String()))}
		for _, k := range []struct{ key, value string }{{"size", x.size}, {"rate", x.rate}, {"start", x.start}} {
			if k.value != "" {
				keys = append(keys, k.key+": "+k.value)
			}
		}
		out = append(out, "{"+strings.Join(keys, ", ")+"}")
		s.used[x.priority] = true
	}
	return out, cmp.Or(what, fmt.Sprintf("the traffic of the file, %d pairs of hosts", pairs)), nil
}

// quoted lists names of nodes as the scenario has them.
func (s *simulation) quoted(names []string) string {
	return strings.Join(grouped.Each(names, func(n string) string { return strconv.Quote(s.alias(n)) }), ", ")
}

// links are the cables, and the switches with the port of the plan for each neighbour.
func (s *simulation) links() (links, switches []string, err error) {
	ports, copies := map[string][]string{}, map[[2]string]int{}
	for _, c := range s.cables {
		for i, p := range []Port{c.A, c.B} {
			in, far := s.intents[p.Node], []Port{c.B, c.A}[i]
			if in == nil {
				continue
			}
			key := [2]string{p.Node, far.Node}
			name := s.alias(far.Node)
			// Several cables to one neighbour are told apart by their number, as scenarios do.
			if copies[key]++; copies[key] > 1 {
				name = fmt.Sprintf("%s#%d", name, copies[key])
			}
			k := slices.IndexFunc(in.Ports, func(x buffer.Port) bool { return x.Name == p.Port })
			switch {
			case p.Port == "":
			case k < 0:
				return nil, nil, fmt.Errorf("%s:%d: %v is no port of its topology", s.file.name, c.Line, p)
			default:
				ports[p.Node] = append(ports[p.Node], fmt.Sprintf("%q: %q", name, p.Port))
				c.Speed, c.Length = cmp.Or(c.Speed, in.Ports[k].Rate.String()), cmp.Or(c.Length, in.Ports[k].Cable.String())
			}
		}
		if c.Speed == "" || c.Length == "" {
			return nil, nil, fmt.Errorf("%s:%d: no speed and length of the cable from %v to %v: want both (key cable_kinds), "+
				"or the names of its ports", s.file.name, c.Line, c.A, c.B)
		}
		links = append(links, fmt.Sprintf("{from: %q, to: %q, rate: %s, cable: %s}", s.alias(c.A.Node), s.alias(c.B.Node),
			c.Speed, c.Length))
	}
	for i := range s.switches {
		x := &s.switches[i]
		switches = append(switches, fmt.Sprintf("{name: %q, plan: %q, plan_ports: {%s}}", s.alias(x.Name), planFile(x),
			strings.Join(ports[x.Name], ", ")))
	}
	return links, switches, nil
}

// runs is how long the traffic runs without --until.
const runs = unit.Millisecond

// text is the scenario: its name, how long it runs, its network, what the switches are, and the flows.
func (s *simulation) text(name string, until unit.Time, switches string, links, flows []string) []byte {
	var classes, paused []string
	for p := range s.used {
		if s.used[p] || s.lossless[p] {
			classes = append(classes, fmt.Sprintf("{name: priority%d, priority: %d, lossless: %v%s}", p, p, s.lossless[p],
				s.dscp[p]))
		}
		if s.lossless[p] && !s.credited[p] {
			paused = append(paused, fmt.Sprintf("priority%d", p))
		}
	}
	return fmt.Appendf(nil, `name: %q
until: %v
deadlock_every: 50us
classes: [%s]
topology:
  hosts: [%s]
  switches: [%s]
  links:
  - %s
host: {pfc: [%s]}
%sflows:
- %s
`, name, until, strings.Join(classes, ", "), s.quoted(s.hosts), s.quoted(s.nodes),
		strings.Join(links, "\n  - "), strings.Join(paused, ", "), switches, strings.Join(flows, "\n- "))
}

// NotSimulated says what of the routes the simulator does not do: it sends frames the shortest ways.
func (f *File) NotSimulated() (out []string) {
	other := map[string]bool{}
	for i := range f.routes {
		if rule := f.routes[i].rule; rule != ruleShortest {
			other[rule] = true
		}
	}
	if len(other) > 0 {
		out = append(out, "frames go the shortest ways, and not as the routes of the file say ("+
			strings.Join(slices.Sorted(maps.Keys(other)), ", ")+")")
	}
	if len(f.rewrites) > 0 {
		out = append(out, "switches change no priority: rewrites of the file are not done")
	}
	return out
}
