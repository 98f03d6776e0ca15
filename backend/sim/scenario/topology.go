package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// cable holds the properties of a link, in both directions. rate is bit/s, delay one way, and a zero iface the
// standard's value for the rate.
type cable struct {
	rate  unit.BitRate
	delay unit.Time
	iface delay // delay of both interfaces, one way
	layer layerSpec
}

// topology reads the nodes and links. Either a generator makes them or the file
// lists them.
func (r *reader) topology(v *document.Value) {
	// kind names a generator, such as a leaf-spine network; a list has no such key.
	if slices.Contains(v.Keys(), "kind") {
		r.generate(v)
		return
	}
	f := v.Fields("hosts", "switches", "links")
	v.Need(f, "hosts", "links")
	// Hosts before switches and both before links: a link names nodes, and the numbers of package fabric follow the
	// order of the file.
	for _, name := range r.names(f["hosts"]) {
		r.host(v, name)
	}
	for _, name := range r.names(f["switches"]) {
		r.node(v, name)
	}
	for _, l := range f["links"].Items() {
		r.listedLink(l)
	}
}

// names reads a list of names. h1-4 stands for h1 to h4, as in a topology file. The bound is checked after each item:
// an item of a few bytes can stand for thousands of names.
func (r *reader) names(v *document.Value) []string {
	var out []string
	for _, n := range v.Items() {
		if out = append(out, document.Quantity(n, topology.ExpandPorts)...); len(out) > fabric.MaxHosts {
			v.Fail(fmt.Sprintf("more than %[1]d names: want at most %[1]d", fabric.MaxHosts))
			return nil
		}
	}
	return out
}

// host adds a host. Its index is its number in package fabric.
func (r *reader) host(v *document.Value, name string) {
	if r.taken(v, name) {
		return
	}
	i := len(r.s.Network.Hosts)
	// Package fabric complains of a host by its number: the origin turns that into a line of the file.
	r.hosts[name] = i
	r.origins[fmt.Sprintf("hosts[%d]", i)] = origin{v.Line, "host " + name}
	r.s.Network.Hosts = append(r.s.Network.Hosts, fabric.Host{Name: name})
}

// node adds a switch.
func (r *reader) node(v *document.Value, name string) {
	if r.taken(v, name) {
		return
	}
	i := len(r.s.Network.Switches)
	r.switches[name] = i
	r.origins[fmt.Sprintf("switches[%d]", i)] = origin{v.Line, "switch " + name}
	// Its ports come with the links, under the names of the neighbours.
	r.ports = append(r.ports, map[string]int{})
	r.s.Network.Switches = append(r.s.Network.Switches, fabric.Switch{Name: name})
}

// taken refuses a name that exists already: hosts and switches share one name
// space, because links and failures name both. The name all is used by flows. A node with the name all is refused and
// made all the same: nothing else of the file is then wrong because of it.
func (r *reader) taken(v *document.Value, name string) bool {
	if r.known(name) || name == "all" {
		v.Fail(fmt.Sprintf("%q: want a name that no other host or switch has, and not all", name))
	}
	return r.known(name)
}

// listedLink reads a link of a list. A link with an unknown end is not made, since it could not be numbered.
func (r *reader) listedLink(v *document.Value) {
	f := v.Fields(append([]string{"from", "to", "rate", "delay", "cable", "interface"}, layerKeys...)...)
	v.Need(f, "from", "to", "rate")
	// It is read before the ends are looked up, so that all mistakes of the link are reported.
	c := r.cable(v, f, "", cable{})
	from, to := f["from"].Text(), f["to"].Text()
	for _, x := range []*document.Value{f["from"], f["to"]} {
		if x != nil && !r.known(x.Text()) {
			x.Refuse("a host or a switch of the topology")
			return
		}
	}
	if f["from"] != nil && f["to"] != nil {
		r.link(v, from, to, c)
	}
}

// known tells whether a node has this name.
func (r *reader) known(name string) bool {
	_, host := r.hosts[name]
	_, node := r.switches[name]
	return host || node
}

// cable reads the properties of a link. Missing ones are taken from another
// link.
func (r *reader) cable(v *document.Value, f map[string]*document.Value, prefix string, other cable) cable {
	// The other link is the general one of a generator: a key with a prefix changes one kind of link.
	c := other
	c.layer = r.layer(f, prefix, other.layer)
	set(&c.rate, f[prefix+"rate"], unit.ParseBitRate)
	set(&c.iface, f[prefix+"interface"], parseDelay)
	delay, length := f[prefix+"delay"], f[prefix+"cable"]
	switch {
	case delay != nil && length != nil:
		length.Refuse(prefix + "cable or " + prefix + "delay, not both")
	case delay != nil:
		c.delay = document.Quantity(delay, unit.ParseTime)
	case length != nil:
		before := length.Complaints()
		// 1,000 km are 5 ms one way. The bound keeps the delays of a path within what the calendar of the simulator can
		// hold.
		l := document.Quantity(length, unit.ParseLength)
		if l > 1000*unit.Kilometre && length.Complaints() == before {
			length.Refuse("0m to 1000km")
			l = 0
		}
		c.delay = unit.Time(l) * perMillimetre
	// A link with a prefix may take the delay of the general one. Otherwise a delay is needed, because 0 would be a
	// network without cables.
	case prefix == "" && v.Complaints() == 0:
		v.Fail("no delay: want delay, or cable, at 5 ns/m")
	}
	return c
}

// perMillimetre is the delay of fibre: 5 ns/m, or 200,000 km/s.
const perMillimetre = 5 * unit.Picosecond

// link connects two nodes. Its line is stored for complaints of package fabric. interfaceDelay needs the rate, which
// is known here.
func (r *reader) link(v *document.Value, a, b string, c cable) {
	n := &r.s.Network
	// Package fabric names a link by its number. The origin turns that into a line of the file.
	at := origin{v.Line, v.Name()}
	r.origins[fmt.Sprintf("links[%d]", len(n.Links))] = at
	l := fabric.Link{A: r.port(a, b), B: r.port(b, a), Rate: c.rate, Delay: c.delay, Interface: r.interfaceDelay(at, c)}
	r.links[l.A], r.links[l.B] = len(n.Links), len(n.Links)
	r.layers = append(r.layers, c.layer)
	n.Links = append(n.Links, l)
}

// port returns the port of a node that leads to another. A switch gets a new
// port, named after its neighbour; a second port to the same neighbour is named
// s2#2. Ports get numbers in the order of the links. A file names a neighbour, so that a link may be added in
// between.
func (r *reader) port(node, towards string) fabric.End {
	if h, ok := r.hosts[node]; ok {
		return fabric.AtHost(h)
	}
	i := r.switches[node]
	w := &r.s.Network.Switches[i]
	name := towards
	// A node may be called s2#2 itself, so the numbered name is tried until it is free.
	for {
		between := fmt.Sprintf("%d %s", i, towards)
		if r.copies[between]++; r.copies[between] > 1 {
			name = fmt.Sprintf("%s#%d", towards, r.copies[between])
		}
		if _, taken := r.ports[i][name]; !taken {
			break
		}
	}
	r.ports[i][name] = len(w.Ports)
	w.Ports = append(w.Ports, fabric.SwitchPort{Name: name})
	return fabric.AtSwitch(i, len(w.Ports)-1)
}

// nodeNames lists the accepted names for a complaint. A long list is replaced
// by its length.
func nodeNames(names map[string]int, what string) string {
	// A semicolon divides what from words that follow the names.
	what, also, _ := strings.Cut(what, ";")
	if also != "" {
		also = ";" + also
	}
	if len(names) == 0 {
		return "none: there are no " + what
	}
	// A complaint with a thousand names helps nobody.
	if len(names) > 12 {
		return fmt.Sprintf("one of the %d %s%s", len(names), what, also)
	}
	// The names are in the order of their numbers, which is that of the file.
	out := make([]string, len(names))
	for name, i := range names {
		out[i] = name
	}
	return "a name of the " + what + ": " + fielderr.Names(out) + also
}

// delay is an interface delay or a response time. The zero delay stands for the
// one that the headroom method ieee802.1qbb has by default for the link's rate,
// both ends at their value of 31B.3.7: the simulation then has the delays for which headroom is
// sized. A time of 0 is a delay that is given.
type delay = unit.Optional[unit.Time]

// parseDelay reads "200ns", or "standard".
func parseDelay(text string) (delay, error) {
	if text == "standard" {
		return delay{}, nil
	}
	t, err := unit.ParseTime(text)
	if err != nil {
		err = fmt.Errorf("%w; or standard", err)
	}
	return unit.Given(t), err
}

// linkOf returns a link where only the rate matters. The frames are the shortest, because the delays of interface and
// response do not depend on them.
func linkOf(rate unit.BitRate) thresholds.Link {
	return thresholds.Link{Rate: rate, MTU: thresholds.MinFrame, LosslessMTU: thresholds.MinFrame}
}

// interfaceAt returns the delay of both interfaces, one way: half of the delay of the end that pauses. For a rate
// without that value it is the interface delay of the nearest rate with one, which is inferred. The response is given
// as 1 us only because the method refuses a rate without one; it is not part of the result.
func interfaceAt(rate unit.BitRate) (unit.Time, error) {
	d, err := thresholds.IEEE{}.LinkDelays(linkOf(rate))
	if err != nil {
		d, err = thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfTexts,
			EveryResponse: unit.Given(unit.Microsecond)}}.LinkDelays(linkOf(rate))
	}
	return rate.TimeWithin(d.Interface), err
}

// responseAt returns the response time. A rate without a source is
// refused: the values beyond 10G and 100G do not follow one rule.
func responseAt(rate unit.BitRate) (unit.Time, error) {
	d, err := thresholds.IEEE{}.LinkDelays(linkOf(rate))
	return rate.TimeWithin(d.Response), err
}

// interfaceDelay returns the interface delay of a link. It does not complain
// about rates that the network itself refuses.
func (r *reader) interfaceDelay(at origin, c cable) unit.Time {
	if t, given := c.iface.Get(); given {
		return t
	}
	t, err := interfaceAt(c.rate)
	if err != nil && c.rate > 0 && c.rate <= fastest {
		r.Fail(at.line, at.path, fmt.Sprintf("%v; give the interface of the link: a time", err))
	}
	return t
}

// fastest is the fastest link that package fabric accepts.
const fastest = 100 * unit.Tbps

// response returns the response time of a port that obeys pause frames. of is
// "host" or "switch", for the message. A host that no link names gets what the file gives, or 0.
func (r *reader) response(of string, at fabric.End, d delay) unit.Time {
	i, linked := r.links[at]
	if d.IsGiven() || !linked {
		return d.Or(0)
	}
	rate := r.s.Network.Links[i].Rate
	t, err := responseAt(rate)
	if err != nil && rate > 0 && rate <= fastest {
		at := r.origins[fmt.Sprintf("links[%d]", i)]
		r.Fail(at.line, at.path, fmt.Sprintf("%v; give the response of the %s: a time", err, of))
	}
	return t
}
