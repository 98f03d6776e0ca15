// Package scenario reads a scenario file, runs it in the simulator, and
// compares the result with what the file expects.
//
// A scenario file (YAML or JSON) has a topology, the hosts and switches, the
// flows and collectives, optional failures, and the expected results. [Read] reports everything
// that is wrong with the file at once, each complaint with its line and path.
// [Scenario.Run] runs it, and writes a trace (CSV), a packet capture (pcap) and
// a page of plots (HTML) if asked to. The same file and seed give the same run
// and the same bytes in these files.
//
// A switch can take its memory from a buffer plan: the file then names a
// topology file in place of pools and groups. [Scenario.Attach] makes such a
// switch available as an ASIC, whose registers a controller changes while
// packets flow.
//
// docs/scenarios.md lists all keys.
package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// Scenario is a network, and what its run is expected to show. Unset times are 0 in the file's reader and get their
// defaults there: Sample is a thousandth of Until.
type Scenario struct {
	Name    string
	Lesson  string // prose: what the reader learns from the run
	Network fabric.Network
	Until   unit.Time // end of the run
	Sample  unit.Time // time between the points of a plot
	Settle  unit.Time // rates and depths are measured from then on; 0: from the start
	Classes []Class
	Expect  []Expectation
	Watch   []Queue // queues whose depth is measured
	// Diagnose runs package diagnosis on the counters of every switch.
	Diagnose bool
	// Rules has how each switch compares counters with limits, in the order of the
	// network's switches: the key behaviour, else the rule of the chip of its plan, else
	// the reference.
	Rules []behaviour.Family
	// PlannedCredits are the accounts by which the links of switches count the credits of their plans, in the order of the
	// links, and the neighbours without a plan. Nothing in the file says how these count. They are taken to use the same
	// account, and to give as many credits as the plan gives.
	PlannedCredits []report.SimCredits
	Lists          []string        // the flow lists of other simulators that were read, each in a line
	planned        []plannedSwitch // switches with a plan
	expectsMaximum bool            // of the shared or headroom cells of a group
	firstPauses    bool            // an expectation needs the first pause of a port
}

// Queue is an egress queue of a switch's port.
type Queue struct{ Node, Port, Queue int }

// samples is the number of points of a plot if the file does not give a step.
const samples = 1000

// Read reads a scenario in YAML or JSON. The file name appears in messages, and
// topology files that the scenario names are read relative to its directory.
// The error wraps buffer.ErrInvalid and lists every complaint.
func Read(file string, data []byte, open topology.Open) (*Scenario, error) {
	return ReadContext(context.Background(), file, data, open, nil)
}

// ReadContext is Read that stops when the context ends: the check of a large network takes seconds. A flow list takes
// the place of that of the scenario; nil: that of the scenario.
func ReadContext(ctx context.Context, file string, data []byte, open topology.Open, list *FlowList) (*Scenario, error) {
	r := newReader(file)
	r.open, r.given = open, list
	if root := r.Parse(data); root != nil {
		r.scenario(root)
		// Package fabric would complain about the gaps that refused keys leave.
		if r.Total() == 0 {
			r.validate(ctx)
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("%w:\n%w", buffer.ErrInvalid, err)
	}
	return r.s, nil
}

// reader reads one file. Names become indices while the file is read, and the indices are those of the network.
type reader struct {
	*document.Reader
	s        *Scenario
	hosts    map[string]int       // index of each host by name
	switches map[string]int       // index of each switch by name
	ports    []map[string]int     // for each switch: its ports by the neighbour's name
	links    map[fabric.End]int   // link of each port
	layers   []layerSpec          // of each link
	specs    []switchSpec         // of each switch
	plans    map[string]*readPlan // by the path of their topology
	entries  map[string][]int     // flows of each entry, by the entry's name
	all      []int                // all hosts, made once: many entries may name them
	copies   map[string]int       // links of a node to a neighbour, to name the next
	// origin of each part that the network can complain about: links[3],
	// flows[7]
	origins   map[string]origin
	responses map[int]delay // response times that the file gives, by host
	given     *FlowList     // stands for the file of the only entry with list; nil: none
	lists     int           // entries with list
	tagged    bool          // packets have VLAN tags unless a flow says otherwise
	open      topology.Open
}

// origin is the place in the file that a part of the network comes from.
type origin struct {
	line int
	path string
}

// newReader returns a reader that has read nothing.
func newReader(file string) *reader {
	return &reader{Reader: document.New(file), s: &Scenario{}, hosts: map[string]int{},
		switches: map[string]int{}, plans: map[string]*readPlan{},
		links: map[fabric.End]int{}, entries: map[string][]int{}, origins: map[string]origin{},
		responses: map[int]delay{}, copies: map[string]int{}, tagged: true}
}

// scenario reads the file. The order matters: classes, hosts and links must be
// known when later keys name them. Keys without a default are name, until and topology, and one of flows and
// collectives.
func (r *reader) scenario(root *document.Value) {
	f := root.Fields("name", "lesson", "seed", "until", "settle", "sample", "wire", "tagged", "classes", "topology",
		"host", "hosts", "switch", "switches", "ports", "flows", "collectives", "failures",
		"deadlock_every", "diagnose", "expect")
	root.Need(f, "name", "until", "topology")
	if f["flows"] == nil && f["collectives"] == nil {
		root.Fail("no flows: want flows, collectives, or both")
	}
	s := r.s
	s.Name, s.Lesson = f["name"].Label(), strings.TrimSpace(f["lesson"].Prose())
	s.Network.Seed = uint64(f["seed"].Integer(0, 1<<62))
	s.Until = r.positive(f["until"])
	s.Sample = max(s.Until/samples, 1)
	if f["sample"] != nil {
		// A plot has at most 100 times the usual number of points, so that its
		// file stays of a size that a browser shows.
		s.Sample = max(r.positive(f["sample"]), s.Until/(100*samples))
	}
	if s.Settle = document.Quantity(f["settle"], unit.ParseTime); s.Settle >= s.Until && s.Settle > 0 && s.Until > 0 {
		f["settle"].Refuse("less than until")
	}
	take(&r.tagged, f["tagged"], (*document.Value).Boolean)
	r.wire(f["wire"])
	for _, v := range f["classes"].Items() {
		r.class(v)
	}
	if f["topology"] != nil {
		r.topology(f["topology"])
	}
	// host and switch have what all have, hosts and switches the exceptions.
	r.hostKeys(f["host"], f["hosts"])
	r.switchKeys(root, f["switch"], f["switches"], f["ports"])
	r.nameDCBX()
	for _, v := range f["flows"].Items() {
		if slices.Contains(v.Keys(), "list") {
			r.flowList(v)
			continue
		}
		r.flow(v)
	}
	// A list that was given has exactly one entry to stand in.
	if r.given != nil && r.lists != 1 {
		root.Fail(fmt.Sprintf("%d entries of flows with list: want one, which %s replaces", r.lists, r.given.Name))
	}
	for _, v := range f["collectives"].Items() {
		r.collective(v)
	}
	for _, v := range f["failures"].Items() {
		r.failure(v)
	}
	s.Network.DeadlockEvery = document.Quantity(f["deadlock_every"], unit.ParseTime)
	s.Diagnose = f["diagnose"].Boolean()
	r.expect(f["expect"])
}

// positive reads a time above 0.
func (r *reader) positive(v *document.Value) unit.Time {
	if v == nil {
		return 0
	}
	before := v.Complaints()
	t := document.Quantity(v, unit.ParseTime)
	if t == 0 && v.Complaints() == before {
		v.Refuse("more than 0")
	}
	return t
}

// wire reads what links add to frames. gap is the bytes of preamble and gap with each frame, and pause those of a
// pause frame; 0 stands for 20 and 64.
func (r *reader) wire(v *document.Value) {
	f := v.Fields("gap", "pause")
	r.s.Network.Wire = fabric.Wire{Gap: document.Quantity(f["gap"], unit.ParseBytes),
		Pause: document.Quantity(f["pause"], unit.ParseBytes)}
}

// lookup reads the name of a host or switch; -1 after a complaint. If the
// topology was refused there are no names, and a complaint exists already, so
// that no second one is added for every reference. what says what the names are names of.
func lookup(v *document.Value, names map[string]int, what string) int {
	if v == nil {
		return -1
	}
	if i, ok := names[v.Text()]; ok {
		return i
	}
	if len(names) > 0 || v.Complaints() == 0 {
		v.Refuse(nodeNames(names, what))
	}
	return -1
}

// pathOfPart finds the part of the network in a complaint of package fabric.
var pathOfPart = once.Pattern(`^(links|flows|hosts|switches|failures)\[\d+\](\.ports\[\d+\])?`)

// validate lets package fabric validate the network. It moves each complaint to
// the line of the file that caused it. A complaint about something that the file does not write, such as a generated
// link, has the line of its generator.
func (r *reader) validate(ctx context.Context) {
	_, err := fabric.NewContext(ctx, r.s.Network)
	if err == nil {
		return
	}
	// The error of package fabric has a complaint on each line, which begins with the part of the network that it is
	// about.
	for text := range strings.SplitSeq(err.Error(), "\n") {
		key := pathOfPart().FindString(text)
		p, ok := r.origins[key]
		for !ok && strings.Contains(key, ".") {
			// A port has no line of its own: the line of its switch is used.
			key = key[:strings.LastIndex(key, ".")]
			p, ok = r.origins[key]
		}
		if !ok {
			p, key = origin{1, document.Whole}, ""
		}
		r.Fail(p.line, p.path, strings.TrimLeft(strings.TrimPrefix(text, key), ".: "))
	}
}

// Class is a named priority. Its number in Scenario.Classes is what other keys of the file turn its name into;
// packets and pauses have the priority.
type Class struct {
	Name     string
	Priority int
	Lossless bool
	DSCP     int // of its packets
}

// class reads a class. The DSCP of its packets is 8 times the priority, the
// class selector of RFC 2474, unless the file gives another. A class that was refused is kept all the same, so that
// later keys which name it are not refused for that.
func (r *reader) class(v *document.Value) {
	f := v.Fields("name", "priority", "lossless", "dscp")
	v.Need(f, "name", "priority")
	c := Class{Name: f["name"].Label(), Priority: int(f["priority"].Integer(0, fabric.Priorities-1)),
		Lossless: f["lossless"].Boolean()}
	// 0 to 56: the class selectors CS0 to CS7.
	c.DSCP = 8 * c.Priority
	// 0 is a code point, so the presence of the key decides.
	take(&c.DSCP, f["dscp"], integer[int](0, 63))
	for _, o := range r.s.Classes {
		// Queue, group and pauses belong to the priority: two classes on one would be one class with two names.
		if o.Priority == c.Priority && f["priority"] != nil {
			f["priority"].Refuse("a priority that no other class has; " + o.Name + " has it")
		}
	}
	if twice := slices.Contains(r.classNames(), c.Name); f["name"] != nil && (twice || c.Name == "" || c.Name == otherClass) {
		f["name"].Refuse("a name that no other class has, and not " + otherClass)
	}
	r.s.Classes = append(r.s.Classes, c)
}

// classOf reads the name of a class, or -1. -1 is also what an absent key gives, and then nothing was complained
// about.
func (r *reader) classOf(v *document.Value) int {
	if v == nil {
		return -1
	}
	name := v.Text()
	i := slices.IndexFunc(r.s.Classes, func(c Class) bool { return c.Name == name })
	switch {
	case i < 0 && len(r.s.Classes) == 0:
		v.Refuse("none: the file has no classes")
	case i < 0:
		v.Refuse("a class: " + strings.Join(r.classNames(), ", "))
	}
	return i
}

// classNames returns the names of all classes.
func (r *reader) classNames() []string {
	return grouped.Each(r.s.Classes, func(c Class) string { return c.Name })
}

// otherClass is the name of the group and the queue of all priorities without a
// class.
const otherClass = "other"

// eachClass calls do for each class in a mapping, in the order of the classes. Other names that are accepted stand for
// the indices after the last class.
func (r *reader) eachClass(v *document.Value, do func(v *document.Value, class int), others ...string) {
	names := append(r.classNames(), others...)
	f := v.Fields(names...)
	for i, name := range names {
		if f[name] != nil {
			do(f[name], i)
		}
	}
}
