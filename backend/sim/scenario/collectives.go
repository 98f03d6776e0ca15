package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// A collective is one entry for all messages of a collective operation. A
// message of a later step starts when the message that it depends on has
// arrived at its host. The schedules of the rings are those of Patarasuk and
// Yuan (Bandwidth optimal all-reduce algorithms, JPDC 2009), as NCCL's rings
// have them; the sizes count as in nccl-tests: size is the whole buffer of a
// host.

// collective is a collective that is being expanded to flows.
type collective struct {
	r      *reader
	v      *document.Value
	name   string
	hosts  []int       // in the order of the ring
	flow   fabric.Flow // what all its flows have in common
	wait   *waiting    // what the first repetition waits for
	repeat int

	size     unit.Bytes   // of the buffer of a host
	atOnce   int          // all-to-all: rounds that run at one time
	to       int          // incast: receiver
	messages []unit.Bytes // incast: of each sender, in turn
	request  unit.Bytes   // incast: of the receiver to each sender
	asked    string       // incast: name of the requests
}

// collectiveKind is how a kind of collective is read and expanded.
type collectiveKind struct {
	keys, needs []string
	flows       func(c *collective) int64 // in one repetition
	make        func(c *collective)
}

// collectiveKinds lists the kinds by name.
var collectiveKinds = map[string]collectiveKind{
	"all-to-all": {[]string{"size", "at_once"}, []string{"size"},
		func(c *collective) int64 { return c.n() * (c.n() - 1) }, (*collective).allToAll},
	"ring-all-reduce":     ringKind(2),
	"ring-all-gather":     ringKind(1),
	"ring-reduce-scatter": ringKind(1),
	"incast": {[]string{"to", "messages", "request"}, []string{"to", "messages"},
		func(c *collective) int64 { return 2 * c.n() * int64(len(c.messages)) }, (*collective).incasts},
}

// ringKind is a collective that passes every part of the buffer around the ring
// that often.
func ringKind(rounds int64) collectiveKind {
	return collectiveKind{[]string{"size"}, []string{"size"},
		func(c *collective) int64 { return rounds * c.n() * (c.n() - 1) },
		func(c *collective) { c.ring(int(rounds)) }}
}

// n is the number of hosts.
func (c *collective) n() int64 { return int64(len(c.hosts)) }

// collective reads an entry of collectives. Everything is checked before the first message is made, so a refused
// entry leaves no flows.
func (r *reader) collective(v *document.Value) {
	kind := v.Field("kind")
	k, ok := collectiveKinds[kind.Text()]
	if !ok {
		kind.Refuse(strings.Join(slices.Sorted(maps.Keys(collectiveKinds)), ", "))
		return
	}
	// Which keys are accepted depends on the kind, so the kind is read first.
	before := v.Complaints()
	f := v.Fields(slices.Concat([]string{"kind", "hosts"}, k.keys, packetKeys)...)
	v.Need(f, slices.Concat([]string{"hosts", "frame"}, k.needs)...)
	c := &collective{r: r, v: v, hosts: r.ringHosts(f["hosts"]), flow: r.packets(f), repeat: r.repeat(f["repeat"]), to: -1}
	c.read(f)
	if v.Complaints() > before {
		return
	}
	if len(c.hosts) < 2 && c.to < 0 || len(c.hosts) == 0 {
		f["hosts"].Fail(fmt.Sprintf("%d hosts: want 2 or more; for an incast 1 or more beside to", len(c.hosts)))
		return
	}
	// A part of the buffer has at least a byte; a message without bytes would never arrive.
	if c.to < 0 && int64(c.size) < c.n() {
		f["size"].Refuse(fmt.Sprintf("%dB or more, one byte for each host", c.n()))
		return
	}
	// An all-to-all of 16,000 hosts has 256 million messages: the number is checked before any is made.
	if !r.room(v, k.flows(c)*int64(c.repeat)) {
		return
	}
	c.wait = r.waiting(f)
	c.name = r.entryName(v, f["name"], "collective")
	if c.to >= 0 {
		c.asked = c.name + " requests"
		if _, twice := r.entries[c.asked]; twice {
			v.Fail(fmt.Sprintf("name %q: want a name that no other entry has", c.asked))
		}
	}
	k.make(c)
}

// read reads the keys that only some kinds have. Keys that the kind does not accept are nil here, because Fields has
// refused them. Without at_once all rounds of an all-to-all run at one time.
func (c *collective) read(f map[string]*document.Value) {
	c.size = document.Quantity(f["size"], unit.ParseBytes)
	c.atOnce = len(c.hosts)
	take(&c.atOnce, f["at_once"], integer[int](1, fabric.MaxHosts))
	if f["to"] == nil {
		return
	}
	c.to = lookup(f["to"], c.r.hosts, "hosts")
	c.hosts = slices.DeleteFunc(slices.Clone(c.hosts), func(h int) bool { return h == c.to })
	for _, x := range f["messages"].Items() {
		if n := document.Quantity(x, unit.ParseBytes); n > 0 || x.Complaints() > 0 {
			c.messages = append(c.messages, n)
		} else {
			x.Refuse("more than 0B")
		}
	}
	// The shortest frame of Ethernet (IEEE 802.3, 3.2.8): a request carries no data.
	c.request = 64
	if x := f["request"]; x != nil {
		if c.request = document.Quantity(x, unit.ParseBytes); c.request == 0 && x.Complaints() == 0 {
			x.Refuse("more than 0B")
		}
	}
}

// ringHosts reads hosts whose order matters: a list keeps its order, and all is
// the order of the topology.
func (r *reader) ringHosts(v *document.Value) (out []int) {
	if v == nil || v.Len() == 0 {
		return r.flowHosts(v)
	}
	// A ring passes each host once. A name that is not known (-1) was complained about, and may come again.
	listed := map[int]bool{-1: false}
	for _, n := range v.Items() {
		i := lookup(n, r.hosts, "hosts; or all")
		if listed[i] {
			n.Refuse("a host that the list does not have yet")
		}
		listed[i] = i >= 0
		out = append(out, i)
	}
	return out
}

// add adds a message that waits for others. The result is the number of the flow, by which others wait for it.
func (c *collective) add(name string, from, to int, size unit.Bytes, after []int) int {
	// The name, class and frame are those of the entry; only the ends, the size and what it waits for differ.
	flow := c.flow
	flow.From, flow.To, flow.Size, flow.After = from, to, size, after
	if len(after) == 0 {
		flow.Delay = 0 // the delay is from an arrival to what waits for it
	}
	c.r.add(c.v, name, flow)
	return len(c.r.s.Network.Flows) - 1
}

// part is the size of a part of the buffer: the parts differ by a byte at most.
func (c *collective) part(i int) unit.Bytes {
	n := c.n()
	// The product of size and n is avoided: it could overflow.
	whole, rest := int64(c.size)/n, int64(c.size)%n
	return unit.Bytes(whole + (int64(i)+1)*rest/n - int64(i)*rest/n)
}

// allToAll makes every host send a part of its buffer to every other. In round r a host sends to the r-th host after
// it, so that in no round two hosts send to the same one: each round takes n messages. A round starts at a host when
// the message of the round atOnce before it has arrived there.
func (c *collective) allToAll() {
	n := len(c.hosts)
	c.exchange(n-1, c.atOnce, func(i, step int) (to, part int) {
		to = (i + step + 1) % n
		return to, to
	})
}

// ring passes parts of the buffer from each host to the next in the ring. Step k+1 of a host starts when step k of the
// host before it has arrived: it sends on what has come. The first n-1 steps bring every part to one host, reduced on
// the way, and with two rounds the next n-1 bring it to all others.
func (c *collective) ring(rounds int) {
	n := len(c.hosts)
	// After k steps a host passes on what its k-th predecessor began with.
	c.exchange(rounds*(n-1), 1, func(i, step int) (to, part int) { return (i + 1) % n, ((i-step)%n + n) % n })
}

// exchange makes every host send and receive once in each step. way says to which place the host at a place sends in a
// step, and which part. A step starts at a host when the message of the step atOnce before it has arrived there, and a
// repetition when all messages of the one before have.
func (c *collective) exchange(steps, atOnce int, way func(place, step int) (to, part int)) {
	n := len(c.hosts)
	arrived := make([][]int, n) // of the last repetition, by place
	for i, h := range c.hosts {
		arrived[i] = c.wait.at(h)
	}
	for range c.repeat {
		came := make([][]int, n) // by place, in the order of the steps
		for i := range came {
			came[i] = make([]int, 0, steps)
		}
		for step := range steps {
			for i, h := range c.hosts {
				after := arrived[i]
				if step >= atOnce {
					// The slice of one element is shared and not copied.
					after = came[i][step-atOnce:][:1]
				}
				to, part := way(i, step)
				came[to] = append(came[to], c.add(c.name, h, c.hosts[to], c.part(part), after))
			}
		}
		arrived = came
	}
}

// incasts makes storms: the receiver sends a request to each sender, each answers
// when the request has arrived, and the next storm starts when all answers have. There is a storm for each size in
// messages, with one answer of that size from each sender.
func (c *collective) incasts() {
	answers := c.wait.at(c.to)
	for range c.repeat {
		for _, size := range c.messages {
			next := make([]int, 0, len(c.hosts))
			requests := make([]int, len(c.hosts))
			for i, h := range c.hosts {
				requests[i] = c.add(c.asked, c.to, h, c.request, answers)
			}
			for i, h := range c.hosts {
				next = append(next, c.add(c.name, h, c.to, size, requests[i:][:1]))
			}
			answers = next
		}
	}
}
