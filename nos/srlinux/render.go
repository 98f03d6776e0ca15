package srlinux

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// oneLevel is why groups of queues are not written.
const oneLevel = "the schedule is sent over OpenConfig, which has one level of queues"

type (
	object map[string]any
	list   []object
)

// render writes a plan as one document, and as the updates of a gNMI Set.
func render(p nos.Plan) *nos.Rendering {
	var priorities []int
	profiles, mappings, interfaces := list{}, list{}, list{}
	known, mapped := map[string]bool{}, map[string]bool{}
	for _, port := range p.Ports() {
		lossless := port.Lossless()
		if len(lossless) == 0 {
			continue
		}
		name, profile := allocation(&port, lossless)
		if !known[name] {
			known[name], profiles = true, append(profiles, profile)
		}
		mapping, entry := mappingProfile(lossless)
		if !mapped[mapping] {
			mapped[mapping], mappings = true, append(mappings, entry)
		}
		priorities = grouped.Add(priorities, lossless...)
		interfaces = append(interfaces, object{"interface-id": port.Name,
			"input": object{"pfc-buffer-allocation-profile": name},
			"pfc":   object{"pfc-mapping-profile": mapping, "pfc-enable": true}})
	}
	slices.Sort(priorities)
	queues := list{}
	for _, n := range priorities {
		queues = append(queues, object{"pfc-queue-name": queue(n), "queue-index": n})
	}
	document := object{"srl_nokia-qos:qos": object{
		"queues":              object{"pfc-queue": queues},
		"pfc-mapping-profile": mappings,
		"buffer-management":   object{"buffer-allocation-profile": profiles},
		"interfaces":          object{"interface": interfaces},
	}}
	return &nos.Rendering{
		Dialect: "srlinux",
		Files: []nos.File{{Name: "qos.json", Purpose: "a gNMI update of the root, JSON_IETF, without an origin",
			Content: nos.JSON(document)}},
		Updates: updates(p, document["srl_nokia-qos:qos"].(object)),
		Omitted: slices.Concat(p.Omit(rendering.Reasons(omitted, oneLevel, noCredits)), p.OmitPFC(), unwritten(p)),
		Notes:   append(notes(len(mappings)), p.NamedOtherwise("SR Linux", "ethernet-1/1", portName())...),
	}
}

// portName is the form of a port's name: ethernet-1/1, and of a lane by itself ethernet-1/3/1.
var portName = once.Pattern(`^ethernet-\d+/\d+(/\d+)?$`)

// noCredits is why credits are not written.
const noCredits = "no leaf for credit-based flow control (CBFC) was found in srl_nokia-qos"

// mostMappings is the largest number of pfc-mapping-profiles (srl_nokia-qos, max-elements).
const mostMappings = 7

// notes are what the operator has to know before using the rendering.
func notes(mappings int) []string {
	out := []string{
		"pfc-enable is the reaction to received PFC frames. The pfc-mapping-profile of an interface generates them; its " +
			"mapping is written for 802.1p values",
		"maximum-burst-size is not written, because any value but 0 disables the platform's alpha",
		"many of these leaves depend on features of the platform: received-traffic is that of 7220 IXR; a 7250 IXR maps by " +
			"the index of the forwarding class",
	}
	if mappings > mostMappings {
		out = append(out, fmt.Sprintf("the plan has %d sets of lossless priorities; the switch has at most %d "+
			"pfc-mapping-profiles", mappings, mostMappings))
	}
	return out
}

// unwritten are leaves that the switch needs beside the document, and that depend on names and sizes which a plan does
// not have: all of revision 25.3.1 of srl_nokia-qos.
func unwritten(p nos.Plan) []nos.Omission {
	var lossless []int
	var points []string
	for n, marks := range losslessDSCPs(p) {
		if marks == nil {
			continue
		}
		lossless = append(lossless, n)
		if *marks != 0 {
			points = append(points, fmt.Sprintf("of %s for DSCP %v", queue(n), *marks))
		}
	}
	if len(lossless) == 0 {
		return nil
	}
	classes := nos.Omission{What: "forwarding classes", Why: "the names of forwarding classes are the operator's: " +
		"without them in /qos/pfc-mapping-profile/received-traffic/unicast-mapping/pfc-queue/forwarding-class, untagged " +
		"packets on routed interfaces, such as untagged RoCEv2, are never paused"}
	if len(points) > 0 { // the plan says that its packets are known by their DSCP, which untagged packets have, too
		classes.Critical = true
		classes.Why += "; needed: that " + strings.Join(points, ", ")
	}
	bytes, percent := reservation(p)
	return []nos.Omission{classes,
		{What: "queues that react", Why: "the names of egress queues are the operator's: without an entry in " +
			"/qos/pfc-mapping-profile/received-pfc-pause-frames/queue for each of the priorities " + rendering.Range(lossless) +
			", no queue reacts to received PFC frames"},
		{What: "PFC reservation", Critical: true, Why: fmt.Sprintf("a percentage of a memory whose size is not published: "+
			"raise /qos/linecard/forwarding-complex/input/pfc-buffer-reservation until pfc-reserved-buffer-size beside it "+
			"is at least %d bytes; that is %d percent of the chip's whole memory (that it is of the whole is inferred; the "+
			"switch's default is 1)", bytes, percent)}}
}

// losslessDSCPs are the DSCPs of the lossless priorities, of all ports together; nil: the priority is not lossless.
func losslessDSCPs(p nos.Plan) (out [pg.PerPort]*pg.CodePoints) {
	for _, port := range p.Ports() {
		for _, n := range port.Lossless() {
			if out[n] == nil {
				out[n] = new(pg.CodePoints)
			}
			*out[n] |= port.DSCP[n]
		}
	}
	return out
}

// reservation is the headroom of all groups, which is the shared headroom pool or the sum of all groups, and which
// percentage of the chip's memory that is, rounded up.
func reservation(p nos.Plan) (bytes, percent unit.Bytes) {
	_, bytes = p.Pools()
	if bytes == 0 {
		for _, port := range p.Ports() {
			for _, n := range port.Lossless() {
				bytes += port.Groups[n].Headroom
			}
		}
	}
	whole := p.Intent.Chip.Cell.Bytes(p.Intent.Chip.TotalCells())
	return bytes, (100*bytes + whole - 1) / max(1, whole)
}

// mappingProfile is the profile that generates PFC frames for these priorities, named by them.
func mappingProfile(lossless []int) (string, object) {
	name, queues := "cellwarden", list{}
	for _, n := range lossless {
		name += fmt.Sprintf("-%d", n)
		queues = append(queues, object{"pfc-queue-name": queue(n), "dot1p": []int{n}, "pfc-pause-frame-priority": n})
	}
	return name, object{"name": name,
		"received-traffic": object{"unicast-mapping": object{"pfc-queue": queues}}}
}

// updates are the document in parts. Each part is one list entry or leaf, so that its previous value can be restored
// without a change of its neighbours. Ports without lossless groups lose PFC. Paths without an origin belong to the
// native model: that is Nokia's default. That elements have no module is inferred.
func updates(p nos.Plan, qos object) []nos.Update {
	var out []nos.Update
	add := func(value any, path ...nos.Elem) {
		u := nos.Update{Path: append([]nos.Elem{{Name: "qos"}}, path...)}
		if value != nil {
			u.JSON = nos.Compact(value)
		}
		out = append(out, u)
	}
	for _, q := range qos["queues"].(object)["pfc-queue"].(list) {
		add(qualified(q), nos.Elem{Name: "queues"}, nos.Elem{Name: "pfc-queue", Key: "pfc-queue-name",
			Value: q["pfc-queue-name"].(string)})
	}
	for _, m := range qos["pfc-mapping-profile"].(list) {
		add(qualified(m), nos.Elem{Name: "pfc-mapping-profile", Key: "name", Value: m["name"].(string)})
	}
	for _, a := range qos["buffer-management"].(object)["buffer-allocation-profile"].(list) {
		add(qualified(a), nos.Elem{Name: "buffer-management"}, nos.Elem{Name: "buffer-allocation-profile",
			Key: "name", Value: a["name"].(string)})
	}
	lossless := map[string]object{}
	for _, i := range qos["interfaces"].(object)["interface"].(list) {
		lossless[i["interface-id"].(string)] = i
	}
	for _, port := range p.Ports() {
		var profile, mapping, enable any
		if i, there := lossless[port.Name]; there {
			profile, mapping = i["input"].(object)["pfc-buffer-allocation-profile"], i["pfc"].(object)["pfc-mapping-profile"]
			enable = true
		}
		entry := []nos.Elem{{Name: "interfaces"}, {Name: "interface", Key: "interface-id", Value: port.Name}}
		add(profile, slices.Concat(entry, []nos.Elem{{Name: "input"}, {Name: "pfc-buffer-allocation-profile"}})...)
		for _, leaf := range []struct {
			name  string
			value any
		}{{"pfc-mapping-profile", mapping}, {"pfc-enable", enable}} {
			add(leaf.value, slices.Concat(entry, []nos.Elem{{Name: "pfc"}, {Name: leaf.name}})...)
			out[len(out)-1].Carries = []buffer.Kind{buffer.GroupLossless}
		}
	}
	return out
}

// qualified puts the module before the members of a value (RFC 7951, 4).
func qualified(value object) object {
	out := object{}
	for name, v := range value {
		out["srl_nokia-qos:"+name] = v
	}
	return out
}

// omitted says why the document does not have these registers.
var omitted = rendering.OverOpenConfig(map[buffer.Kind]string{
	buffer.PoolShared: "srl_nokia-qos has no leaf for the size of the shared pool",
	buffer.PoolHeadroom: "the headroom of a forwarding complex is a percentage of a memory whose size is not published: " +
		"see PFC reservation",
	buffer.PortMinimum:   "no leaf for the minimum of a port was found in srl_nokia-qos",
	buffer.GroupReserved: "no leaf for the reserved cells of an ingress group was found in srl_nokia-qos",
	buffer.GroupAlpha:    "the alpha is fixed by the platform",
	buffer.GroupStatic: "maximum-burst-size belongs to a queue and is not written, because any value but 0 disables " +
		"the platform's alpha",
	buffer.GroupHeadroom: "maximum-pfc-reserved-share-bytes is written, but it is a part of pfc-buffer-reservation, " +
		"which is a percentage of a memory whose size is not published",
	buffer.GroupXONOffset: "pfc-on-threshold and pfc-off-threshold are percentages of a queue; a group with a dynamic " +
		"limit has no such size",
	buffer.QueueReserved: "committed-burst-size of a queue is not written, because the operator chooses the names of " +
		"queues",
}, "srlinux", buffer.PriorityDSCP)

// allocation is the profile of a port, named by its content.
func allocation(p *nos.Port, lossless []int) (string, object) {
	var parts []string
	queues := list{}
	for _, n := range lossless {
		bytes := int64(p.Groups[n].Headroom)
		parts = append(parts, fmt.Sprintf("%d-%d", n, bytes))
		queues = append(queues, object{"pfc-queue-name": queue(n), "maximum-pfc-reserved-share-bytes": bytes})
	}
	name := "cellwarden-" + strings.Join(parts, "-")
	return name, object{"name": name, "queues": object{"pfc-queue": queues}}
}

// queue is the name that the switch itself gives the PFC queue of a priority.
func queue(n int) string { return fmt.Sprintf("pfc%d", n) }
