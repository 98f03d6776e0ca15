package eos

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
)

// oneLevel is why groups of queues are not written.
const oneLevel = "the schedule is sent over OpenConfig, which has one level of queues"

type (
	object map[string]any
	list   []object
)

// render writes a plan as one document, and as the updates of a gNMI Set.
func render(p nos.Plan) *nos.Rendering {
	interfaces := list{}
	var enabling strings.Builder
	for _, port := range p.Ports() {
		lossless := port.Lossless()
		enable(&enabling, port.Name, lossless)
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
	memory := memoryOf(p)
	commands := memory.commands()
	r := &nos.Rendering{
		Dialect: "eos",
		Files: []nos.File{{Name: "qos.json", Purpose: "a gNMI update of the root, JSON_IETF, origin openconfig",
			Content: nos.JSON(document)},
			{Name: "pfc.cli", Purpose: "commands of the configuration mode that enable PFC on the interfaces; cellwarden does " +
				"not send them", Content: []byte(enabling.String())}},
		Updates: updates(p),
		Omitted: append(p.Omit(rendering.Reasons(memory.omitted(), oneLevel, noCredits)), p.OmitPFC()...),
		Notes:   []string{"priorities-no-drop has no effect without priority-flow-control on: enter the commands of pfc.cli"},
	}
	if commands != "" {
		r.Notes = append(r.Notes, "mmu.cli has the headroom pool and the memory of the groups as commands of the "+
			"configuration mode (platform trident mmu); its queue profile is applied to all ports in place of the one that "+
			"is applied now. A Set with origin cli was not verified")
	}
	r.Notes = slices.Concat(r.Notes, memory.notes(), p.NamedOtherwise(title, "Ethernet1/1", portName()))
	if commands != "" {
		r.Files = append(r.Files, nos.File{Name: "mmu.cli", Content: []byte(commands), Purpose: "commands of the " +
			"configuration mode for headroom, its pool and the groups; cellwarden does not send them"})
	}
	return r
}

// portName is the form of a port's name: Ethernet1, Ethernet1/1, and in a chassis Ethernet3/1/1.
var portName = once.Pattern(`^Ethernet[1-9]\d*(/\d+){0,2}$`)

// enable writes the commands that switch PFC on for an interface, or off for one without lossless groups.
func enable(b *strings.Builder, port string, lossless []int) {
	fmt.Fprintf(b, "interface %s\n", port)
	if len(lossless) == 0 {
		fmt.Fprintln(b, "   no priority-flow-control on")
		return
	}
	fmt.Fprintln(b, "   priority-flow-control on")
	for _, n := range lossless {
		fmt.Fprintf(b, "   priority-flow-control priority %d no-drop\n", n)
	}
}

// updates are the leaves of the document. A port without lossless groups loses PFC. That the elements of a path have no
// module, also where the augmentation begins, is inferred. What only the command line can set is not among them.
func updates(p nos.Plan) []nos.Update {
	var out []nos.Update
	for _, port := range p.Ports() {
		entry := []nos.Elem{{Name: "qos"}, {Name: "interfaces"}, {Name: "interface", Key: "interface-id", Value: port.Name}}
		leaf := slices.Concat(entry,
			[]nos.Elem{{Name: "output"}, {Name: "pfc"}, {Name: "config"}, {Name: "priorities-no-drop"}})
		pfc := nos.Update{Origin: "openconfig", Path: leaf, Carries: []buffer.Kind{buffer.GroupLossless}}
		if lossless := port.Lossless(); len(lossless) > 0 {
			name := slices.Concat(entry, []nos.Elem{{Name: "config"}, {Name: "interface-id"}})
			out = append(out, nos.Update{Origin: "openconfig", Path: name, JSON: nos.Compact(port.Name)})
			pfc.JSON = nos.Compact(bitmap(lossless))
		}
		out = append(out, pfc)
	}
	return out
}

// omitted says why the document does not have these registers.
var omitted = func() map[buffer.Kind]string {
	out := rendering.OverOpenConfig(map[buffer.Kind]string{}, "arista", buffer.PriorityDSCP)
	for _, k := range []buffer.Kind{buffer.PoolShared, buffer.PoolHeadroom, buffer.PortMinimum, buffer.GroupReserved,
		buffer.GroupAlpha, buffer.GroupStatic, buffer.GroupHeadroom, buffer.GroupXONOffset, buffer.QueueReserved} {
		out[k] = "no writable leaf; set it on the command line"
	}
	out[buffer.GroupLossless] = "priorities-no-drop is written, but the switch sends PFC frames only with " +
		"priority-flow-control on, which has no writable leaf; and the headroom has none"
	return out
}()

// noCredits is why credits are not written.
const noCredits = "no leaf and no command for credit-based flow control (CBFC) was found"

// bitmap writes priorities as a hexadecimal number: 3 and 4 are "18".
func bitmap(priorities []int) string {
	bits := 0
	for _, n := range priorities {
		bits |= 1 << n
	}
	return fmt.Sprintf("%x", bits)
}
