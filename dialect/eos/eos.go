// Package eos writes a plan in Arista's augmentations of OpenConfig: which
// priorities an interface sends PFC for. The shape of the document was accepted
// by the published model.
//
// Headroom, alpha and the rest of a group have no leaf that can be written. EOS
// configures them on its command line (platform trident mmu queue profile), and shows
// them as state (experimental, /arista/pfc/profiles).
package eos

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dialect"
)

type (
	object map[string]any
	list   []object
)

// Render writes a plan as one document, and as the updates of a gNMI Set.
func Render(p dialect.Plan) *dialect.Rendering {
	interfaces := list{}
	for _, port := range p.Ports() {
		lossless := port.Lossless()
		if len(lossless) == 0 {
			continue
		}
		interfaces = append(interfaces, object{
			"interface-id": port.Name,
			"config":       object{"interface-id": port.Name},
			"output": object{"arista-qos-augments:pfc": object{
				"config": object{"priorities-no-drop": bitmap(lossless)},
			}},
		})
	}
	document := object{"openconfig-qos:qos": object{"interfaces": object{"interface": interfaces}}}
	return &dialect.Rendering{
		Dialect: "eos",
		Files: []dialect.File{{Name: "qos.json", Purpose: "a gNMI update of the root, JSON_IETF, origin openconfig",
			Content: dialect.JSON(document)}},
		Updates: updates(p),
		Omitted: p.Omit(omitted),
		Notes: []string{"headroom and alpha are set on the command line: platform trident mmu queue profile; a Set with " +
			"origin cli was not verified"},
	}
}

// updates are the leaves of the document. A port without lossless groups loses PFC.
// That the elements of a path have no module, also where the augmentation begins, is
// inferred. What only the command line can set is not among them.
func updates(p dialect.Plan) []dialect.Update {
	var out []dialect.Update
	for _, port := range p.Ports() {
		entry := []dialect.Elem{{Name: "qos"}, {Name: "interfaces"},
			{Name: "interface", Key: "interface-id", Value: port.Name}}
		leaf := slices.Concat(entry,
			[]dialect.Elem{{Name: "output"}, {Name: "pfc"}, {Name: "config"}, {Name: "priorities-no-drop"}})
		pfc := dialect.Update{Origin: "openconfig", Path: leaf, Carries: []buffer.Kind{buffer.GroupLossless}}
		if lossless := port.Lossless(); len(lossless) > 0 {
			name := slices.Concat(entry, []dialect.Elem{{Name: "config"}, {Name: "interface-id"}})
			out = append(out, dialect.Update{Origin: "openconfig", Path: name, JSON: dialect.Compact(port.Name)})
			pfc.JSON = dialect.Compact(bitmap(lossless))
		}
		out = append(out, pfc)
	}
	return out
}

const commandLine = "no writable leaf; set it on the command line"

// omitted says why the document does not have these registers.
var omitted = map[buffer.Kind]string{
	buffer.PoolShared:     commandLine,
	buffer.PoolHeadroom:   commandLine,
	buffer.PortMinimum:    commandLine,
	buffer.GroupReserved:  commandLine,
	buffer.GroupAlpha:     commandLine,
	buffer.GroupStatic:    commandLine,
	buffer.GroupHeadroom:  commandLine,
	buffer.GroupXONOffset: commandLine,
	buffer.QueueReserved:  commandLine,
	buffer.QueueECNMin:    "OpenConfig can express it: cellwarden apply --profile arista",
	buffer.QueueECNMax:    "OpenConfig can express it: cellwarden apply --profile arista",
	buffer.QueueECNPMax:   "OpenConfig can express it: cellwarden apply --profile arista",
	buffer.QueueWeight:    "OpenConfig can express it: cellwarden apply --profile arista",
	buffer.PriorityDSCP:   "OpenConfig can express it: cellwarden apply --profile arista",
}

// bitmap writes priorities as a hexadecimal number: 3 and 4 are "18".
func bitmap(priorities []int) string {
	bits := 0
	for _, n := range priorities {
		bits |= 1 << n
	}
	return fmt.Sprintf("%x", bits)
}
