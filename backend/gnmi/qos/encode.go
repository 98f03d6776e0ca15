package qos

import (
	"fmt"

	"github.com/openconfig/ygot/ytypes"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/nos"
)

// ocInterface is an entry of /qos/interfaces in openconfig-qos.
type ocInterface = oc.OpenconfigQos_Qos_Interfaces_Interface

// Encode writes a layout as OpenConfig: queues, profiles and bindings, valid
// as a whole. What it cannot carry is refused with ErrInexpressible.
func Encode(l buffer.Layout, cell cells.Size) (*oc.Root, error) {
	if err := ValidateCell(cell); err != nil {
		return nil, err
	}
	ports, err := portsOf(l, plainOpenConfig(cell))
	if err != nil {
		return nil, err
	}
	// Names and values are validated, because a caller may do anything with the tree. References are valid by
	// construction, as a test shows: for each of them ygot searches the tree, which takes twenty times as long.
	root := treeOf(ports, plainOpenConfig(cell))
	if errs := ytypes.Validate(oc.SchemaTree()["Root"].Dir["qos"], root.Qos); len(errs) > 0 {
		return nil, fmt.Errorf("rendered openconfig is not valid: %w", errs)
	}
	return root, nil
}

// treeOf writes ports and their profiles. The result is valid by construction (a test validates it for every profile):
// a SetRequest is made of it without another validation, which takes longer than the rest of a push on our side.
func treeOf(ports map[string]port, t target) *oc.Root {
	root := &oc.Root{}
	qos := root.GetOrCreateQos()
	for name, p := range ports {
		if t.usesInterfaceRef() { // what an interface-ref points at
			i := root.GetOrCreateInterfaces().GetOrCreateInterface(name)
			i.GetOrCreateConfig().Name = &name
			i.GetOrCreateSubinterfaces().GetOrCreateSubinterface(0).GetOrCreateConfig().Index = new(uint32(0))
		}
		writeBindings(qos, name, p.names, t)
		for i, s := range slots {
			if p.names[i] == "" {
				continue
			}
			p.content(s).write(qos, p.names[i], t)
			if s.family == curves {
				t.writeQueue(qos, s.number) // the binding refers to it
			}
		}
	}
	return root
}

// writeBindings adds an interface to a tree with the profiles of a port, by slot. A port without profiles gives no
// interface.
func writeBindings(qos *oc.OpenconfigQos_Qos, name string, profiles [len(slots)]string, t target) {
	if profiles == [len(slots)]string{} {
		return
	}
	id := t.interfaceID(name)
	i := qos.GetOrCreateInterfaces().GetOrCreateInterface(id)
	i.GetOrCreateConfig().InterfaceId = &id
	if t.usesInterfaceRef() {
		i.GetOrCreateInterfaceRef().GetOrCreateConfig().Interface = &name
	}
	if t.hasQuirk(nos.InterfaceUnit) {
		i.InterfaceRef.Config.Subinterface = new(uint32(0))
	}
	for n, s := range slots {
		if profiles[n] != "" {
			t.bind(i, s, profiles[n])
		}
	}
}
