package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// amount is a size of memory, in bytes or in cells. Vendors configure both:
// SONiC and Junos bytes, Broadcom's registers cells. One of the fields is 0.
type amount struct {
	bytes unit.Bytes
	cells cells.Count
}

// parseAmount reads "9216B", "2MiB" or "300 cells". 0 is an amount, too: a group may have no reserved cells.
func parseAmount(text string) (amount, error) {
	// The number of cells goes through the reader of bytes, which has the bounds and the error texts of sizes.
	if number, ok := strings.CutSuffix(strings.TrimSpace(text), "cells"); ok {
		b, err := unit.ParseBytes(strings.TrimSpace(number) + "B")
		if err != nil {
			return amount{}, fmt.Errorf("%q is not a number of cells (want 300 cells, or bytes such as 64KiB)",
				text)
		}
		return amount{cells: cells.Count(b)}, nil
	}
	b, err := unit.ParseBytes(text)
	return amount{bytes: b}, err
}

// in returns the number of cells that hold the amount. Bytes are rounded up, so
// that the memory is not smaller than the file says.
func (a amount) in(cell cells.Size) cells.Count { return a.cells + cell.Holding(a.bytes) }

// switchSpec is what the file says about a switch. The switch is built from it
// after all keys are read, because single ports and classes can replace what
// holds for all. A zero cell or pool is one that the file does not give: build refuses it, because neither has a
// default.
type switchSpec struct {
	line           int // place in the file, for complaints
	path           string
	cell           cells.Size
	overhead       unit.Bytes // stored in addition to each packet
	pool           amount     // shared pool of the ingress
	sharedHeadroom *amount    // nil: each group has its own headroom
	egressPool     *amount    // nil: the egress has no limits
	behaviour      behaviour.Family
	groups         []groupSpec      // by class; the last one is for priorities without a class
	queues         []queueSpec      // by class; the last one is for priorities without a class
	linkPause      bool             // it sends 802.3x PAUSE in place of PFC
	quanta         uint16           // pause time of its frames, in units of 512 bit times
	trimSize       unit.Bytes       // length of what is left of trimmed frames; 0: the switch does not trim
	trimClass      int              // whose queue they go to
	ownXON         bool             // a packet that leaves resumes only its own group
	atStart        bool             // cells are released when a frame begins to leave
	port           portSpec         // settings of the ports that have none of their own
	ports          map[int]portSpec // ports with settings of their own
	plan           *readPlan        // memory from a buffer plan, in place of the sizes above; nil: none
	names          []string         // with a plan: its port for each port of the switch
}

// groupSpec is what the file says about a class's group. It holds for every
// port; only a computed headroom differs between ports, because it depends on
// the link.
type groupSpec struct {
	reserved, headroom amount
	limit              limitSpec
	// computes the headroom for each port's link; nil: headroom is given
	sizer thresholds.Sizer
	// The longest frames, without preamble and gap: of the port, and of the class. They size a computed headroom.
	mtu, losslessMTU unit.Bytes
	// SAI's xon_offset and xon_th, see [thresholds.XON]: a group resumes at the higher of the two.
	xonOffset, xonFloor amount
}

// limitSpec is a limit on shared cells.
type limitSpec struct {
	alpha     thresholds.Alpha // 2^n of what is free in the pool, if neither of the others is given
	static    *amount          // nil: none
	unlimited bool
}

// limit returns the limit in cells. The zero limitSpec is an alpha of 1, 2^0.
func (l limitSpec) limit(cell cells.Size) thresholds.Limit {
	switch {
	case l.unlimited:
		return thresholds.Unlimited()
	case l.static != nil:
		return thresholds.Static(l.static.in(cell))
	}
	return thresholds.Dynamic(l.alpha)
}

// queueSpec is what the file says about a class's egress queue.
type queueSpec struct {
	reserved amount
	limit    limitSpec // of the cells of the egress pool
	trim     bool      // what it refuses is trimmed: see switchSpec.trimSize
}

var (
	// The keys of a port stand at a port, at a switch for all of its ports, and in the general key for those of all
	// switches.
	portKeys = []string{"trust", "tagged", "pfc", "link_pause", "wait", "response", "map", "scheduler", "ecn",
		"watchdog", "dcbx"}
	switchKeys = append([]string{"plan", "cell", "overhead", "pool", "shared_headroom", "egress_pool", "behaviour",
		"groups", "queues", "trimming", "pause", "quanta", "own_xon",
		"release_at_start"}, portKeys...)
)

// switchKeys reads the settings of all switches, then those of single switches
// and of single ports, which replace them, and builds the switches. A topology
// without switches, such as two hosts and a link, needs no settings. Errors of a switch name its line, and those of
// the general keys the line of the document.
func (r *reader) switchKeys(root, all, some, ports *document.Value) {
	if len(r.s.Network.Switches) == 0 {
		return
	}
	general := switchSpec{line: root.Line, path: "switch", groups: make([]groupSpec, len(r.s.Classes)+1),
		queues: make([]queueSpec, len(r.s.Classes)+1),
		ports:  map[int]portSpec{}, port: portSpec{SwitchPort: fabric.SwitchPort{Tagged: r.tagged}}}
	// Without the key queues, a queue takes what the egress pool has.
	for i := range general.queues {
		general.queues[i].limit.unlimited = true
	}
	// Complaints are counted in three places, because each step may rest only on steps without one.
	before := root.Complaints()
	if all != nil {
		r.readSwitch(all, all.Fields(switchKeys...), &general)
	}
	for range r.s.Network.Switches {
		p := general
		// Slices and maps are cloned, so that the exceptions of one switch do
		// not change another.
		p.groups, p.queues, p.ports = slices.Clone(p.groups), slices.Clone(p.queues), map[int]portSpec{}
		r.specs = append(r.specs, p)
	}
	for _, v := range some.Items() {
		f := v.Fields(append([]string{"name", "plan_ports"}, switchKeys...)...)
		v.Need(f, "name")
		// lookup complains of a name that it does not know.
		i := lookup(f["name"], r.switches, "switches")
		if i < 0 {
			continue
		}
		r.readSwitch(v, f, &r.specs[i])
		switch x := f["plan_ports"]; {
		case x == nil:
		case r.specs[i].plan != nil:
			r.planPorts(x, i)
		case root.Complaints() == before: // else the plan may be one that could not be read
			x.Fail("accepted beside a plan: without one there are no ports to name")
		}
	}
	for _, v := range ports.Items() {
		r.readPort(v)
	}
	// Building from a spec with complaints would only add complaints that
	// follow from them.
	if root.Complaints() > before {
		return
	}
	for i := range r.specs {
		if r.specs[i].plan != nil {
			r.namePorts(i)
		}
	}
	if root.Complaints() > before {
		return
	}
	// Credits need the cells of both ends, and groups need the credits: the order of the two is fixed.
	r.linkLayers()
	r.s.Rules = make([]behaviour.Family, len(r.specs))
	for i := range r.specs {
		if r.s.Rules[i] = r.specs[i].behaviour; r.s.Rules[i].Name == "" {
			r.s.Rules[i] = behaviour.Reference()
			r.s.Rules[i].Source = "assumed: the file names no chip and no behaviour"
		}
		r.build(i)
	}
}

// readSwitch reads a switch's settings. They replace those that the spec has. A
// plan replaces all sizes of memory, so sizes beside a plan are refused: one of
// both would have no effect. Reading the groups comes after cell and pool, but needs neither: sizes become cells in
// build.
func (r *reader) readSwitch(v *document.Value, f map[string]*document.Value, p *switchSpec) {
	p.line, p.path = v.Line, v.Path()
	if x := f["plan"]; x != nil {
		for _, key := range []string{"cell", "overhead", "pool", "shared_headroom", "egress_pool", "groups", "queues",
			"trimming"} {
			if f[key] != nil {
				f[key].Fail("not accepted beside a plan: the plan defines the memory")
			}
		}
		p.plan = r.plan(x)
	}
	if x := f["cell"]; x != nil {
		p.cell = cells.Size(document.Quantity(x, unit.ParseBytes))
	}
	set(&p.overhead, f["overhead"], unit.ParseBytes)
	set(&p.pool, f["pool"], parseAmount)
	if x := f["shared_headroom"]; x != nil {
		p.sharedHeadroom = new(document.Quantity(x, parseAmount))
	}
	if x := f["egress_pool"]; x != nil {
		p.egressPool = new(document.Quantity(x, parseAmount))
	}
	take(&p.behaviour, f["behaviour"], readBehaviour)
	// Chips differ in which groups they look at when a frame leaves; docs/simulator.md has the decision and the
	// default.
	take(&p.ownXON, f["own_xon"], (*document.Value).Boolean)
	take(&p.atStart, f["release_at_start"], (*document.Value).Boolean)
	// A quantum is 512 bit times at the rate of the port (IEEE 802.3 31B.2). 0 would be a resume frame.
	take(&p.quanta, f["quanta"], integer[uint16](1, 65535))
	take(&p.linkPause, f["pause"], word("pfc, or link for 802.3x PAUSE", map[string]bool{"pfc": false, "link": true}))
	r.groups(f["groups"], p)
	r.queues(f["queues"], p)
	r.trimming(f["trimming"], p)
	r.portKeys(f, &p.port)
}

// readBehaviour reads the name of a chip family. It is by which rule and order the MMU compares counters with limits:
// see asic/behaviour.
func readBehaviour(v *document.Value) behaviour.Family {
	b, ok := behaviour.Lookup(v.Text())
	if !ok {
		v.Refuse(strings.Join(behaviour.Names(), ", "))
	}
	return b
}

// groups reads the groups of the classes. Keys that are left out keep what the general key has said of the class.
func (r *reader) groups(v *document.Value, p *switchSpec) {
	r.eachClass(v, func(v *document.Value, class int) {
		g := &p.groups[class]
		f := v.Fields("reserved", "alpha", "static", "unlimited", "headroom", "xon_offset", "xon_floor")
		set(&g.reserved, f["reserved"], parseAmount)
		set(&g.xonOffset, f["xon_offset"], parseAmount)
		set(&g.xonFloor, f["xon_floor"], parseAmount)
		// headroom is an amount, or a method with its options.
		g.limit = limit(v, f, g.limit)
		if h := f["headroom"]; h != nil {
			r.headroom(h, g)
			// The last group is that of the priorities without a class, which are lossy.
			if class == len(r.s.Classes) || !r.s.Classes[class].Lossless {
				h.Fail("headroom of a lossy class: want headroom of a lossless one")
			}
		}
	}, otherClass)
}

// set reads a quantity, if the file has it. Without it, what a more general key has set is kept.
func set[T any](to *T, v *document.Value, parse func(string) (T, error)) {
	take(to, v, func(v *document.Value) T { return document.Quantity(v, parse) })
}

// take is set for a value that is more than a quantity.
func take[T any](to *T, v *document.Value, read func(*document.Value) T) {
	if v != nil {
		*to = read(v)
	}
}

// integer reads a whole number within bounds, for take.
func integer[T int | int64 | uint8 | uint16](least, most int64) func(*document.Value) T {
	return func(v *document.Value) T { return T(v.Integer(least, most)) }
}

// word reads one of some words, for take. accepted lists them for the complaint about another.
func word[T any](accepted string, meanings map[string]T) func(*document.Value) T {
	return func(v *document.Value) T {
		meaning, ok := meanings[v.Text()]
		if !ok {
			v.Refuse(accepted)
		}
		return meaning
	}
}

// limit reads how many shared cells a group or a queue may use. The three kinds
// of limit exclude each other. Without one, the limit of the more general key
// holds. unlimited: false names no limit, and is refused.
func limit(v *document.Value, f map[string]*document.Value, before limitSpec) limitSpec {
	given := 0
	for _, key := range []string{"alpha", "static", "unlimited"} {
		if f[key] != nil {
			given++
		}
	}
	switch {
	case given == 0:
		return before
	case given > 1:
		v.Fail("alpha, static and unlimited: want one of them")
		return before
	case f["alpha"] != nil:
		return limitSpec{alpha: document.Quantity(f["alpha"], thresholds.ParseAlpha)}
	case f["static"] != nil:
		return limitSpec{static: new(document.Quantity(f["static"], parseAmount))}
	}
	if before := v.Complaints(); !f["unlimited"].Boolean() && v.Complaints() == before {
		f["unlimited"].Refuse("true; without the key the more general limit holds")
	}
	return limitSpec{unlimited: true}
}

// headroom reads an amount, or a sizing method that is applied to each port's
// link. The method needs the frame sizes, which a scenario does not have
// elsewhere: its flows may send shorter frames than the port allows.
func (r *reader) headroom(v *document.Value, g *groupSpec) {
	// An amount takes the place of a method that a more general key has, and the other way round.
	if !slices.Contains(v.Keys(), "method") {
		g.sizer, g.headroom = nil, document.Quantity(v, parseAmount)
		return
	}
	chosen := v.Field("method")
	name := chosen.Text()
	f := v.Fields(append([]string{"method", "mtu", "lossless_mtu"}, method.MethodOptions(name)...)...)
	v.Need(f, "mtu", "lossless_mtu")
	g.mtu, g.losslessMTU = document.Quantity(f["mtu"], unit.ParseBytes),
		document.Quantity(f["lossless_mtu"], unit.ParseBytes)
	// The options stay texts: the method reads them, with the same errors as in a topology.
	options, refused := method.Options{}, len(r.Refused)
	for _, key := range method.MethodOptions(name) {
		if f[key] != nil {
			options[key] = f[key].Text()
		}
	}
	if len(r.Refused) > refused { // the method would refuse what is no text once more
		return
	}
	var err error
	// There is no chip: the file states cells and overhead by itself.
	if g.sizer, err = method.NewSizer(name, "", options); err != nil {
		v.Fail(err.Error())
	}
}

// queues reads the egress queues of the classes. Limits of queues have an effect only with an egress_pool.
func (r *reader) queues(v *document.Value, p *switchSpec) {
	r.eachClass(v, func(v *document.Value, class int) {
		q := &p.queues[class]
		f := v.Fields("reserved", "alpha", "static", "unlimited", "trim")
		set(&q.reserved, f["reserved"], parseAmount)
		q.limit = limit(v, f, q.limit)
		if x := f["trim"]; x != nil {
			q.trim = x.Boolean()
			if q.trim && class < len(r.s.Classes) && r.s.Classes[class].Lossless {
				x.Refuse("false: a lossless class is not trimmed")
			}
		}
	}, otherClass)
}
