package junos

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
)

type (
	object map[string]any
	list   []object
)

// present is the value of a YANG leaf of type empty (RFC 7951, 6.9).
var present = []any{nil}

// render writes a plan as one document. cellwarden does not send it.
func render(p nos.Plan) *nos.Rendering {
	w := writer{plan: p, profiles: list{}, interfaces: list{}, names: map[int]bool{}}
	ports := p.Ports()
	for i := range ports {
		w.noDrop |= pfc.Of(ports[i].Lossless()...)
	}
	for i := range ports {
		w.port(&ports[i])
	}
	service := object{"congestion-notification-profile": w.profiles, "interfaces": object{"interface": w.interfaces}}
	w.schedules.write(service)
	if len(w.classes) > 0 {
		slices.SortFunc(w.classes, func(a, b object) int { return strings.Compare(a["name"].(string), b["name"].(string)) })
		service["forwarding-classes"] = object{"class": w.classes}
	}
	by := object{}
	if len(w.classifiers) > 0 {
		by["dscp"] = w.classifiers
	}
	if len(w.priorities) > 0 {
		by["ieee-802.1"] = w.priorities
	}
	if len(by) > 0 {
		service["classifiers"] = by
	}
	document := object{
		"junos-qfx-conf-root:configuration": object{"junos-qfx-conf-class-of-service:class-of-service": service},
	}
	return &nos.Rendering{
		Dialect: "junos",
		Files: []nos.File{{Name: "class-of-service.json",
			Purpose: "native configuration, to be loaded by hand; cellwarden does not send it",
			Content: nos.JSON(document)}},
		NotSent: "Junos is rendered only: no published document was found that says which origin a gNMI Set of Junos' " +
			"native model has. Load class-of-service.json by hand",
		Omitted: append(p.Omit(w.omitted()), p.OmitPFC()...),
		Undone:  w.undone(),
		Notes:   append(w.notes(), w.schedules.notes()...),
		Shares:  nos.SharesBy(&p.Intent, func(s buffer.PortSchedule) ets.Flat { return s.Percents() }), // of each group
	}
}

// writer collects the lists of the document.
type writer struct {
	schedules
	plan                 nos.Plan
	profiles, interfaces list
	classes, classifiers list
	priorities           list           // classifiers of 802.1p
	names                map[int]bool   // priorities that have a forwarding class
	noDrop               pfc.Priorities // that are lossless at any port: the classes are those of all ports
	tagged, mixed        bool           // there are ports with PFC by 802.1p; with lossless priorities without a DSCP
	delayed              bool           // there are ports whose delay is not that of their cable
}

// port writes the interface of a port, and the objects that it names.
func (w *writer) port(port *nos.Port) {
	lossless := port.Lossless()
	entry := object{"name": port.Name}
	if len(lossless) > 0 {
		name, profile := w.notification(port, lossless)
		if w.add(name) {
			w.profiles = append(w.profiles, profile)
		}
		entry["congestion-notification-profile"] = name
	}
	by := object{}
	if name := w.classifier(port); name != "" {
		by["dscp"] = list{{"name": name}}
	}
	if len(lossless) > 0 && !marked(port, lossless) {
		by["ieee-802.1"] = list{{"name": w.byPriority(lossless)}}
	}
	if len(by) > 0 {
		entry["unit"] = list{{"name": "*", "classifiers": by}}
	}
	w.schedule(port, entry)
	if len(entry) > 1 {
		w.interfaces = append(w.interfaces, entry)
	}
}

// codePoint is a DSCP as Junos writes it.
func codePoint(dscp int) string { return fmt.Sprintf("%06b", dscp) }

// notification is the profile of a port, named by its content.
func (w *writer) notification(port *nos.Port, lossless []int) (string, object) {
	metres, other := port.FibreMetres()
	w.delayed = w.delayed || other
	var byPriority, byDSCP, out list
	var parts []string
	for _, n := range lossless {
		mru := int64(w.plan.MTU(port, n))
		parts = append(parts, fmt.Sprintf("%d-%d-%d", n, mru, int64(port.Groups[n].XONOffset)))
		for _, dscp := range port.DSCP[n].List() {
			byDSCP = append(byDSCP, w.pauses(codePoint(dscp), mru, port.Groups[n]))
			parts = append(parts, fmt.Sprintf("d%d", dscp))
		}
		point := fmt.Sprintf("%03b", n)
		byPriority = append(byPriority, w.pauses(point, mru, port.Groups[n]))
		out = append(out, object{"name": point, "flow-control-queue": []int{n}})
	}
	input := object{"cable-length": fmt.Sprint(metres), "ieee-802.1": object{"code-point": byPriority}}
	if len(byDSCP) > 0 {
		delete(input, "ieee-802.1")
		input["dscp"] = object{"code-point": byDSCP}
		for _, n := range lossless {
			w.mixed = w.mixed || port.DSCP[n] == 0
		}
	}
	w.tagged = w.tagged || len(byDSCP) == 0
	name := short(fmt.Sprintf("cellwarden-%dm-", metres), strings.Join(parts, "-"))
	return name, object{"name": name, "input": input, "output": object{"ieee-802.1": object{"code-point": out}}}
}

// longest is the length of a name in the model.
const longest = 64

// short is a name of its content, or of a sum of it if it is too long.
func short(prefix, content string) string {
	if len(prefix)+len(content) <= longest {
		return prefix + content
	}
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf("%s%x", prefix, sum[:8])
}

// pauses is a code point with PFC. xon is in cells: "XON threshold offset cells for Tx
// resume from dynamic shared buffer" (junos-qfx-conf-class-of-service), 1 to 100000. That
// it is the plan's XON offset, in the cells of its chip, is inferred from this text.
func (w *writer) pauses(name string, mru int64, g nos.Group) object {
	out := object{"name": name, "pfc": present, "mru": fmt.Sprint(mru)}
	if cells := w.plan.Intent.Chip.Cell.Holding(g.XONOffset); cells > 0 && cells <= 100000 {
		out["xon"] = int64(cells)
	}
	return out
}

// classifier returns the name of the classifier for the DSCPs of a port; empty: the plan
// has none. Its content is the port's own DSCPs above the switch's default classifier.
func (w *writer) classifier(port *nos.Port) string {
	var classes list
	var parts []string
	for n, points := range port.DSCP {
		var bits []string
		for _, dscp := range points.List() {
			bits = append(bits, codePoint(dscp))
			parts = append(parts, fmt.Sprintf("%d-%d", n, dscp))
		}
		if len(bits) == 0 {
			continue
		}
		w.class(n)
		classes = append(classes, object{"name": className(n),
			"loss-priority": list{{"name": "low", "code-points": bits}}})
	}
	if len(classes) == 0 {
		return ""
	}
	name := short("cellwarden-", strings.Join(parts, "-"))
	if w.add(name) {
		w.classifiers = append(w.classifiers, object{"name": name, "import": "default", "forwarding-class": classes})
	}
	return name
}

// marked tells whether a lossless priority of a port has DSCPs: then PFC is keyed to them.
func marked(port *nos.Port, lossless []int) bool {
	return slices.ContainsFunc(lossless, func(n int) bool { return port.DSCP[n] != 0 })
}

// byPriority returns the name of the classifier that gives the 802.1p values of lossless priorities their classes,
// above the switch's default classifier.
func (w *writer) byPriority(lossless []int) string {
	var name strings.Builder
	name.WriteString("cellwarden-802.1p")
	var classes list
	for _, n := range lossless {
		w.class(n)
		fmt.Fprintf(&name, "-%d", n)
		classes = append(classes, object{"name": className(n),
			"loss-priority": list{{"name": "low", "code-points": []string{fmt.Sprintf("%03b", n)}}}})
	}
	if w.add(name.String()) {
		w.priorities = append(w.priorities, object{"name": name.String(), "import": "default", "forwarding-class": classes})
	}
	return name.String()
}

// className is the name of the forwarding class of a priority. Where the switch has a class of its own on the queue of
// the priority, it is that one, whose settings those of the plan replace: a second class on the queue would have to
// have the same loss behaviour, and would count among the classes, of which a QFX5200 has 10.
func className(priority int) string {
	for _, c := range defaults() {
		if c.queue == int64(priority) {
			return c.name
		}
	}
	return fmt.Sprintf("cellwarden-%d", priority)
}

// class writes the forwarding class of a priority. A lossless one has the PFC priority that the pause frames for its
// DSCPs name.
func (w *writer) class(n int) {
	if w.names[n] {
		return
	}
	w.names[n] = true
	c := object{"name": className(n), "queue-num": n}
	if w.noDrop.Has(n) {
		c["no-loss"], c["pfc-priority"] = present, n
	}
	w.classes = append(w.classes, c)
}

// undone says that the switch does not commit more classes without drops than it has. Those of its own count.
func (w *writer) undone() (out []nos.Undone) {
	count := 0
	for n := range pg.PerPort {
		if w.names[n] && w.noDrop.Has(n) {
			count++
		}
	}
	for _, c := range defaults() {
		if c.noLoss && !w.names[int(c.queue)] {
			count++
		}
	}
	if count > mostLossless {
		out = append(out, nos.Undone{What: "forwarding-classes no-loss", Why: fmt.Sprintf("%d forwarding classes are "+
			"without drops, and a switch has at most %d: it refuses the commit", count, mostLossless)})
	}
	if w.mixed {
		out = append(out, nos.Undone{What: "congestion-notification-profile", Why: "a profile is keyed to DSCPs or to " +
			"802.1p values (Juniper CLI reference), and a port has lossless priorities with DSCPs beside others without: " +
			"give all of them DSCPs, or none"})
	}
	return out
}

// portName is the form of a port's name: et-0/0/0, and of a lane by itself et-0/0/0:1.
var portName = once.Pattern(`^[a-z]{2}-\d+/\d+/\d+(:\d+)?$`)

func (w *writer) notes() []string {
	out := []string{
		"Junos is rendered only: cellwarden does not send this configuration",
		"the switch computes the headroom from cable-length and mru",
		"a change of PFC blocks the port; a change of shared-buffer stops traffic on all ports (Juniper traffic " +
			"management guide for QFX)",
	}
	if w.delayed {
		out = append(out, "cable-length is longer than the cable where the plan has a measured or an extra delay: it is "+
			"that of a fibre with this delay (inferred: Juniper publishes no formula)")
	}
	if w.tagged {
		out = append(out, "PFC and the classification are keyed to the 802.1p value of tagged packets where the plan has no "+
			"DSCPs of lossless priorities: untagged packets, such as RoCEv2 on routed ports, are never paused there (give the "+
			"classes dscp)")
	}
	if len(w.classifiers) > 0 {
		out = append(out, "the classifiers are for untagged IPv4 packets (dscp); IPv6 needs the same as dscp-ipv6")
	}
	var own []string
	for n := range pg.PerPort {
		if name := className(n); w.names[n] && !strings.HasPrefix(name, "cellwarden") {
			lossy := ", which drops"
			if w.noDrop.Has(n) {
				lossy = ", without drops"
			}
			own = append(own, fmt.Sprintf("%s is priority %d%s", name, n, lossy))
		}
	}
	if len(own) > 0 {
		out = append(out, "forwarding classes of the switch are set as the plan has their queues: "+strings.Join(own, "; "))
	}
	return append(out, w.plan.NamedOtherwise(title, "et-0/0/0", portName())...)
}

// omitted says why the document does not have these registers.
func (w *writer) omitted() map[buffer.Kind]string {
	out := map[buffer.Kind]string{
		buffer.PoolShared: "shared-buffer is divided in percentages for lossless, lossless headroom and lossy traffic; " +
			"a plan's pool is not divided in this way",
		buffer.PoolHeadroom: "shared-buffer is divided in percentages for lossless, lossless headroom and lossy traffic; " +
			"a plan's pool is not divided in this way",
		buffer.PortMinimum:   "no statement for the dedicated ingress buffer of a port was found",
		buffer.GroupReserved: "no statement for the dedicated buffer of an ingress group was found",
		buffer.GroupAlpha:    "dynamic-threshold belongs to a partition, which all lossless groups share",
		buffer.GroupStatic:   "a partition has a dynamic threshold; no statement for a static threshold of a group was found",
		buffer.GroupHeadroom: "the switch computes it from cable-length and mru, which are written",
		buffer.QueueReserved: "the buffer-size of a scheduler is a percentage or a time, and the size of the memory is not " +
			"published",
		buffer.ClassIdleSlope: "no statement for a credit-based shaper was found",
	}
	rendering.OverOpenConfig(out, "juniper")
	if len(w.plan.Intent.ETS) > 0 {
		out[buffer.QueueWeight] = "the shares of its groups and queues are written in its place"
	}
	if w.mixed {
		out[buffer.GroupLossless] = "PFC is written for priorities with DSCPs only; and " + out[buffer.GroupHeadroom]
	}
	return rendering.Reasons(out, "", "no statement for credit-based flow control (CBFC) was found")
}
