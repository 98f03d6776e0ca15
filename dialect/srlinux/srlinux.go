// Package srlinux writes a plan in srl_nokia-qos, the native model of Nokia SR
// Linux 25.3: PFC queues, buffer allocation profiles with the part that PFC
// reserves, and PFC on interfaces. The shape of the document was accepted by the
// published model with all features of the platform enabled.
//
// That maximum-pfc-reserved-share-bytes is the headroom is inferred from its name and
// its place in the model.
package srlinux

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect"
)

type (
	object map[string]any
	list   []object
)

// Render writes a plan as one document, and as the updates of a gNMI Set.
func Render(p dialect.Plan) *dialect.Rendering {
	var priorities []int
	profiles, interfaces := list{}, list{}
	known := map[string]bool{}
	for _, port := range p.Ports() {
		lossless := port.Lossless()
		if len(lossless) == 0 {
			continue
		}
		name, profile := allocation(&port, lossless)
		if !known[name] {
			known[name], profiles = true, append(profiles, profile)
		}
		for _, n := range lossless {
			if !slices.Contains(priorities, n) {
				priorities = append(priorities, n)
			}
		}
		interfaces = append(interfaces, object{"interface-id": port.Name,
			"input": object{"pfc-buffer-allocation-profile": name}, "pfc": object{"pfc-enable": true}})
	}
	slices.Sort(priorities)
	queues := list{}
	for _, n := range priorities {
		queues = append(queues, object{"pfc-queue-name": queue(n), "queue-index": n})
	}
	document := object{"srl_nokia-qos:qos": object{
		"queues":            object{"pfc-queue": queues},
		"buffer-management": object{"buffer-allocation-profile": profiles},
		"interfaces":        object{"interface": interfaces},
	}}
	return &dialect.Rendering{
		Dialect: "srlinux",
		Files: []dialect.File{{Name: "qos.json", Purpose: "a gNMI update of the root, JSON_IETF, without an origin",
			Content: dialect.JSON(document)}},
		Updates: updates(p, queues, profiles, interfaces),
		Omitted: p.Omit(omitted),
		Notes: []string{
			"pfc-enable is a setting of the whole interface. A pfc-mapping-profile selects the priorities that send PFC; it " +
				"is not written",
			"maximum-burst-size is not written, because any value but 0 disables the platform's alpha",
			"many of these leaves depend on features of the platform",
		},
	}
}

// updates are the document in parts. Each part is one list entry or leaf, so that
// its previous value can be restored without a change of its neighbours. Ports without
// lossless groups lose PFC. Paths without an origin belong to the native model: that
// is Nokia's default. That elements have no module is inferred.
func updates(p dialect.Plan, queues, profiles, interfaces list) []dialect.Update {
	var out []dialect.Update
	add := func(value any, path ...dialect.Elem) {
		u := dialect.Update{Path: append([]dialect.Elem{{Name: "qos"}}, path...)}
		if value != nil {
			u.JSON = dialect.Compact(value)
		}
		out = append(out, u)
	}
	for _, q := range queues {
		add(qualified(q), dialect.Elem{Name: "queues"}, dialect.Elem{Name: "pfc-queue", Key: "pfc-queue-name",
			Value: q["pfc-queue-name"].(string)})
	}
	for _, a := range profiles {
		add(qualified(a), dialect.Elem{Name: "buffer-management"}, dialect.Elem{Name: "buffer-allocation-profile",
			Key: "name", Value: a["name"].(string)})
	}
	lossless := map[string]object{}
	for _, i := range interfaces {
		lossless[i["interface-id"].(string)] = i["input"].(object)
	}
	for _, port := range p.Ports() {
		var profile, enable any
		if input, there := lossless[port.Name]; there {
			profile, enable = input["pfc-buffer-allocation-profile"], true
		}
		entry := dialect.Elem{Name: "interface", Key: "interface-id", Value: port.Name}
		add(profile, dialect.Elem{Name: "interfaces"}, entry, dialect.Elem{Name: "input"},
			dialect.Elem{Name: "pfc-buffer-allocation-profile"})
		add(enable, dialect.Elem{Name: "interfaces"}, entry, dialect.Elem{Name: "pfc"},
			dialect.Elem{Name: "pfc-enable"})
		out[len(out)-1].Carries = []buffer.Kind{buffer.GroupLossless}
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
var omitted = map[buffer.Kind]string{
	buffer.PoolShared: "srl_nokia-qos has no leaf for the size of the shared pool",
	buffer.PoolHeadroom: "the headroom of a forwarding complex is a percentage (pfc-buffer-reservation) of a memory " +
		"whose size is not published",
	buffer.PortMinimum:   "no leaf for the minimum of a port was found in srl_nokia-qos",
	buffer.GroupReserved: "no leaf for the reserved cells of an ingress group was found in srl_nokia-qos",
	buffer.GroupAlpha:    "the alpha is fixed by the platform",
	buffer.GroupStatic: "maximum-burst-size belongs to a queue and is not written, because any value but 0 disables " +
		"the platform's alpha",
	buffer.GroupXONOffset: "pfc-on-threshold and pfc-off-threshold are percentages of a queue; a group with a dynamic " +
		"limit has no such size",
	buffer.QueueReserved: "committed-burst-size of a queue is not written, because the operator chooses the names of queues",
	buffer.QueueECNMin:   "OpenConfig can express it: cellwarden apply --profile srlinux",
	buffer.QueueECNMax:   "OpenConfig can express it: cellwarden apply --profile srlinux",
	buffer.QueueECNPMax:  "OpenConfig can express it: cellwarden apply --profile srlinux",
	buffer.QueueWeight:   "OpenConfig can express it: cellwarden apply --profile srlinux",
	buffer.PriorityDSCP:  "OpenConfig can express it: cellwarden apply --profile srlinux",
}

// allocation is the profile of a port, named by its content.
func allocation(p *dialect.Port, lossless []int) (string, object) {
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

func queue(n int) string { return fmt.Sprintf("pfcq-%d", n) }
