package server

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// Clients give queues names such as NC1 and interfaces ids such as Ethernet1/1.0. The device
// has queues 0 to 7 and its own ports. Whatever goes from the configuration to registers, or from registers and
// counters to state, takes the name on the other side from qos.Names.

// readNames reads the names that a tree gives to the queues and ports of the device. A queue has the number of its
// queue-id, or else the one that is its name, 0 to 7, or else the one of Options.QueueNames, which are fixed. An
// interface is the port that its interface-ref points at, or else the port with its name. Two names of one queue or
// port are refused.
func readNames(tree *oc.Root, fixed []string) (qos.Names, error) {
	n := qos.Names{Ports: map[string]string{}, Interfaces: map[string]string{}}
	var bad fielderr.List
	readQueues(&n, tree, fixed, &bad)
	readPorts(&n, tree, &bad)
	return n, buffer.Invalid(bad)
}

// readQueues reads which numbers the queues have. A queue that is named by its number
// has it before any other that claims it.
func readQueues(n *qos.Names, tree *oc.Root, fixed []string, bad *fielderr.List) {
	all := tree.GetQos().GetQueues()
	if all == nil {
		return
	}
	// First the queues whose name is their number, then the others.
	for _, named := range []bool{true, false} {
		for _, name := range sortedKeys(all.Queue) {
			id := queueNumber(name, all.Queue[name].GetConfig(), fixed)
			if id < 0 || (name == strconv.Itoa(id)) != named {
				continue
			}
			if other := n.Queues[id]; other != "" {
				bad.Add(fmt.Sprintf("/qos/queues/queue[name=%s]/config/queue-id", name), strconv.Itoa(id),
					fmt.Sprintf("another number: this is the one of queue %s", other))
				continue
			}
			n.Queues[id] = name
		}
	}
}

// queueNumber is the number of a queue; -1 if the device has no such queue. A queue-id of 8 or more is
// passed over, and the name then decides.
func queueNumber(name string, config *oc.OpenconfigQos_Qos_Queues_Queue_Config, fixed []string) int {
	switch {
	case config != nil && config.QueueId != nil && *config.QueueId < pg.PerPort:
		return int(*config.QueueId)
	case numbered(name):
		return int(name[0] - '0')
	case name == "":
		return -1
	}
	return slices.Index(fixed, name)
}

// readPorts reads which ports the interfaces are. An interface-ref of subinterface 0, or without one, is the port
// itself. Two interfaces of one port are refused, because a port has one set of registers and nothing says whose
// values they would be.
func readPorts(n *qos.Names, tree *oc.Root, bad *fielderr.List) {
	for _, i := range interfaces(tree) {
		id := *i.InterfaceId
		port, refuse := id, func(value, accepted string) {
			bad.Add(fmt.Sprintf("/qos/interfaces/interface[interface-id=%s]", id), value, accepted)
		}
		if ref := i.GetInterfaceRef().GetConfig(); ref != nil {
			if ref.Interface != nil && *ref.Interface != "" {
				port = *ref.Interface
			}
			if ref.Subinterface != nil && *ref.Subinterface != 0 {
				refuse(fmt.Sprintf("subinterface %d of %s", *ref.Subinterface, port), "0: this switch has no other subinterfaces")
				continue
			}
		}
		if other, taken := n.Interfaces[port]; taken {
			refuse("the port "+port, "another port: this is the one of interface "+other)
			continue
		}
		n.Interfaces[port], n.Ports[id] = id, port
	}
}
