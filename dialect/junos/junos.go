// Package junos writes a plan as congestion notification profiles, the native
// model of Juniper QFX (Junos 24.4R1). The shape of the document was accepted by
// the published model.
//
// A Junos switch computes the headroom itself, from the length of the cable and the
// longest frame of each priority (Juniper traffic management guide for QFX). So these
// two are written and the plan's headroom is not: the switch's own result may differ.
// See cellwarden headroom --method juniper.
package junos

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect"
)

type (
	object map[string]any
	list   []object
)

// present is the value of a YANG leaf of type empty (RFC 7951, 6.9).
var present = []any{nil}

// Render writes a plan as one document. cellwarden does not send it.
func Render(p dialect.Plan) *dialect.Rendering {
	profiles, interfaces := list{}, list{}
	known := map[string]bool{}
	for _, port := range p.Ports() {
		lossless := port.Lossless()
		if len(lossless) == 0 {
			continue
		}
		name, profile := notification(p, &port, lossless)
		if !known[name] {
			known[name], profiles = true, append(profiles, profile)
		}
		interfaces = append(interfaces, object{"name": port.Name, "congestion-notification-profile": name})
	}
	service := object{"congestion-notification-profile": profiles, "interfaces": object{"interface": interfaces}}
	document := object{
		"junos-qfx-conf-root:configuration": object{"junos-qfx-conf-class-of-service:class-of-service": service},
	}
	return &dialect.Rendering{
		Dialect: "junos",
		Files: []dialect.File{{Name: "class-of-service.json",
			Purpose: "native configuration; the origin for a gNMI Set was not verified",
			Content: dialect.JSON(document)}},
		NotSent: "the origin of Junos' native configuration in a gNMI Set was not verified: load class-of-service.json by hand",
		Omitted: p.Omit(omitted),
		Notes: []string{
			"the switch computes the headroom from cable-length and mru",
			"a change of PFC blocks the port; a change of shared-buffer stops traffic on all ports (Juniper traffic " +
				"management guide for QFX)",
			"the classification of traffic into lossless forwarding classes is not written; configure it separately",
		},
	}
}

// omitted says why the document does not have these registers.
var omitted = map[buffer.Kind]string{
	buffer.PoolShared: "shared-buffer is divided in percentages for lossless, lossless headroom and lossy traffic; " +
		"a plan's pool is not divided in this way",
	buffer.PoolHeadroom: "shared-buffer is divided in percentages for lossless, lossless headroom and lossy traffic; " +
		"a plan's pool is not divided in this way",
	buffer.PortMinimum:    "no statement for the dedicated ingress buffer of a port was found",
	buffer.GroupReserved:  "no statement for the dedicated buffer of an ingress group was found",
	buffer.GroupAlpha:     "dynamic-threshold belongs to a partition, which all lossless groups share",
	buffer.GroupStatic:    "a partition has a dynamic threshold; no statement for a static threshold of a group was found",
	buffer.GroupHeadroom:  "the switch computes it from cable-length and mru, which are written",
	buffer.GroupXONOffset: "the unit of xon of a code point was not found",
	buffer.QueueReserved: "the buffer-size of a scheduler is a percentage or a time, and the size of the memory is not " +
		"published",
	buffer.QueueECNMin:  "OpenConfig can express it: cellwarden apply --profile juniper",
	buffer.QueueECNMax:  "OpenConfig can express it: cellwarden apply --profile juniper",
	buffer.QueueECNPMax: "OpenConfig can express it: cellwarden apply --profile juniper",
	buffer.QueueWeight:  "OpenConfig can express it: cellwarden apply --profile juniper",
	buffer.PriorityDSCP: "OpenConfig can express it: cellwarden apply --profile juniper",
}

// notification is the profile of a port, named by its content.
func notification(p dialect.Plan, port *dialect.Port, lossless []int) (string, object) {
	metres := dialect.Metres(port.Cable)
	var in, out list
	var parts []string
	for _, n := range lossless {
		point, mru := fmt.Sprintf("%03b", n), int64(p.MTU(port, n))
		parts = append(parts, fmt.Sprintf("%d-%d", n, mru))
		in = append(in, object{"name": point, "pfc": present, "mru": fmt.Sprint(mru)})
		out = append(out, object{"name": point, "flow-control-queue": []int{n}})
	}
	name := fmt.Sprintf("cellwarden-%dm-%s", metres, strings.Join(parts, "-"))
	return name, object{
		"name":   name,
		"input":  object{"cable-length": fmt.Sprint(metres), "ieee-802.1": object{"code-point": in}},
		"output": object{"ieee-802.1": object{"code-point": out}},
	}
}
