package qos

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// The list of queues defines their names:
//
// 	"queue": [{"name": "NC1", "config": {"name": "NC1", "queue-id": 7}}]

// Names are the names that a configuration has for the queues and the ports of a device. Everything in OpenConfig
// refers to queues by name, and to ports by interface-id; registers have numbers, 0 to 7, and the device's ports.
type Names struct {
	Queues     [pg.PerPort]string // by number; empty: the digit is the name
	Ports      map[string]string  // by interface-id; one that is absent is the port's name
	Interfaces map[string]string  // interface-ids by port, likewise
	beyond     map[string]bool    // queues with a queue-id that is no number
}

// Queue is the name of the queue with a number.
func (n *Names) Queue(number int) string {
	if n.Queues[number] != "" {
		return n.Queues[number]
	}
	return strconv.Itoa(number)
}

// Number is the number of a queue, 0 to 7. A queue without a number belongs to another user of the switch, and so does
// one whose name is the digit of another queue's number: then ok is false.
func (n *Names) Number(queue string) (number int, ok bool) {
	for number := range n.Queues {
		if n.Queue(number) == queue {
			return number, !n.beyond[queue]
		}
	}
	return 0, false
}

// Port is the port of an interface-id.
func (n *Names) Port(id string) string { return cmp.Or(n.Ports[id], id) }

// Interface is the interface-id of a port.
func (n *Names) Interface(port string) string { return cmp.Or(n.Interfaces[port], port) }

// namesOfQueues reads the list of queues: the number of a queue is its queue-id, or the digit that is its name.
func namesOfQueues(qos *oc.OpenconfigQos_Qos) Names {
	n := Names{beyond: map[string]bool{}}
	all := qos.GetQueues()
	if all == nil {
		return n
	}
	for _, name := range slices.Sorted(maps.Keys(all.Queue)) {
		config := all.Queue[name].GetConfig()
		if config == nil || config.QueueId == nil {
			continue
		}
		// Of two queues with one number, the one that is named by it has it.
		if id := int(*config.QueueId); id >= pg.PerPort {
			n.beyond[name] = true
		} else if n.Queues[id] == "" || name == strconv.Itoa(id) {
			n.Queues[id] = name
		}
	}
	return n
}
