package nxos

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// notSent is why there are no updates.
const notSent = "NX-OS is rendered only: the path of pause buffer-size in the switch's data model was not found. " +
	"Enter qos.cfg in the configuration mode"

// render writes a plan as one text. cellwarden does not send it.
func render(p nos.Plan) *nos.Rendering {
	w := writer{plan: p, ports: p.Ports(), above: map[buffer.Register]bool{}}
	w.network()
	for i := range w.ports {
		w.port(&w.ports[i])
	}
	r := &nos.Rendering{
		Dialect: "nxos",
		Files: []nos.File{{Name: "qos.cfg", Content: []byte(w.text()),
			Purpose: "commands of the configuration mode, to be entered by hand; cellwarden does not send them"}},
		NotSent: notSent,
		Omitted: w.omitted(),
		Undone:  w.undone(),
		Shares: nos.SharesBy(&p.Intent, func(s buffer.PortSchedule) ets.Flat {
			return s.Flatten(ets.Percents) // of what strict queues leave
		}),
	}
	r.Notes = w.notes()
	return r
}

// writer collects the parts of the configuration.
type writer struct {
	plan                    nos.Plan
	ports                   []nos.Port
	noDrop                  pfc.Priorities // priorities without drops at any port
	networkQoS              string
	maps, classify, in, out definitions
	interfaces              strings.Builder
	tagged                  pfc.Priorities // lossless priorities that are classified by their 802.1p value
	rounded, low, some      []string
	frames                  []string                 // classes whose mtu is not that of the plan
	above                   map[buffer.Register]bool // XON offsets above the pause threshold
	unserved                bool                     // there are ports whose default queue has no bandwidth
}

// definitions are maps or policies of one type: contents with names.
type definitions struct {
	names  map[string]string // by beginning and content
	counts map[string]int    // by beginning
	text   strings.Builder
}

// name returns the name of a content, which begins with the words of base. A content that is new is written.
func (d *definitions) name(kind, base, content string) string {
	key := base + "\n" + content
	if name, known := d.names[key]; known {
		return name
	}
	if d.names == nil {
		d.names, d.counts = map[string]string{}, map[string]int{}
	}
	name := base
	if d.counts[base]++; d.counts[base] > 1 {
		name = fmt.Sprintf("%s-%d", base, d.counts[base])
	}
	d.names[key] = name
	fmt.Fprintf(&d.text, "%s %s\n%s", kind, name, content)
	return name
}

// class is the name of a predefined class of a priority: that of priority 0 is the default class.
func class(prefix string, priority int) string {
	if priority == 0 {
		return strings.TrimSuffix(prefix, "q") + "q-default"
	}
	return fmt.Sprintf("%s%d", prefix, priority)
}

// network writes the network-qos policy, which all ports share: the longest frames, and which classes are paused.
func (w *writer) network() {
	var used pfc.Priorities
	var longest [pg.PerPort]unit.Bytes
	for i := range w.ports {
		p := &w.ports[i]
		for n := range pg.PerPort {
			if uses(p, n) {
				used = used | pfc.Of(n)
				longest[n] = max(longest[n], w.plan.MTU(p, n))
			}
			if p.Groups[n].Lossless {
				w.noDrop = w.noDrop | pfc.Of(n)
			}
		}
	}
	if len(w.ports) > 0 { // packets that no class matches are of priority 0
		used |= pfc.Of(0)
	}
	for i := range w.ports {
		longest[0] = max(longest[0], w.plan.MTU(&w.ports[i], 0))
	}
	var b strings.Builder
	for n := range pg.PerPort {
		if !used.Has(n) {
			continue
		}
		name := class("c-8q-nq", n)
		if n == 0 {
			name = "c-8q-nq-default"
		}
		mtu := min(max(longest[n], leastMTU), mostMTU)
		if mtu != longest[n] {
			w.frames = append(w.frames, fmt.Sprintf("mtu %d is written for priority %d, whose frames have %v in the plan", mtu,
				n, longest[n]))
		}
		fmt.Fprintf(&b, "  class type network-qos %s\n    mtu %d\n", name, mtu)
		if w.noDrop.Has(n) {
			fmt.Fprintf(&b, "    pause pfc-cos %d\n", n)
		}
	}
	w.networkQoS = b.String()
}

// The mtu of a network-qos class is 1500 to 9216 bytes. This range was not read in the guide; the notes say so.
const leastMTU, mostMTU = 1500, 9216

// uses tells whether the plan has anything for a priority of a port.
func uses(p *nos.Port, n int) bool {
	q := p.Queues[n]
	return !p.Groups[n].Empty() || q.Marks() || q.Weight != 0 || q.Classed || p.DSCP[n] != 0
}

// port writes the interface of a port, and the policies that it names.
func (w *writer) port(p *nos.Port) {
	lossless := p.Lossless()
	mode := "on"
	if len(lossless) == 0 {
		mode = "off"
	}
	fmt.Fprintf(&w.interfaces, "interface %s\n  priority-flow-control mode %s\n", p.Name, mode)
	if name := w.classes(p, lossless); name != "" {
		fmt.Fprintf(&w.interfaces, "  service-policy type qos input %s\n", name)
	}
	if content := w.buffers(p, lossless); content != "" {
		name := w.in.name("policy-map type queuing", "cellwarden-in", content)
		fmt.Fprintf(&w.interfaces, "  service-policy type queuing input %s\n", name)
	}
	if content := w.queues(p); content != "" {
		name := w.out.name("policy-map type queuing", "cellwarden-out", content)
		fmt.Fprintf(&w.interfaces, "  service-policy type queuing output %s\n", name)
	}
	if len(lossless) > 0 && pfc.Of(lossless...) != w.noDrop {
		w.some = append(w.some, p.Name)
	}
}

// classes returns the name of the policy that puts packets into the qos-groups of a port; "": there is nothing to say.
// The first class that matches decides, so those of DSCPs come before those of 802.1p values: else a tagged packet with
// the DSCP of a lossless priority would get the priority of its tag.
func (w *writer) classes(p *nos.Port, lossless []int) string {
	var points, tags strings.Builder
	add := func(b *strings.Builder, n int, match string) {
		name := w.maps.name("class-map type qos match-any", fmt.Sprintf("cellwarden-priority-%d", n), "  match "+match+"\n")
		fmt.Fprintf(b, "  class %s\n    set qos-group %d\n", name, n)
	}
	for n := range pg.PerPort {
		switch list := p.DSCP[n].List(); {
		case len(list) > 0:
			add(&points, n, "dscp "+numbers(list))
		case n > 0 && uses(p, n):
			add(&tags, n, fmt.Sprintf("cos %d", n))
			if slices.Contains(lossless, n) {
				w.tagged = w.tagged | pfc.Of(n)
			}
		}
	}
	if points.Len()+tags.Len() == 0 {
		return ""
	}
	return w.classify.name("policy-map type qos", "cellwarden-classify", points.String()+tags.String())
}

// numbers writes a list as NX-OS does: 24,26.
func numbers(list []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
}

// text is the whole configuration. A definition comes before its uses.
func (w *writer) text() string {
	var b strings.Builder
	fmt.Fprint(&b, w.maps.text.String(), w.classify.text.String())
	if w.networkQoS != "" {
		fmt.Fprint(&b, "policy-map type network-qos cellwarden\n", w.networkQoS)
	}
	fmt.Fprint(&b, w.in.text.String(), w.out.text.String())
	if w.networkQoS != "" {
		fmt.Fprint(&b, "system qos\n  service-policy type network-qos cellwarden\n")
	}
	fmt.Fprint(&b, w.interfaces.String())
	return b.String()
}
