package server

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// Clients give queues names such as NC1 and interfaces ids such as Ethernet1/1.0. The device
// has queues 0 to 7 and its own ports. Sets are renamed on the way to the device, state and
// counters on the way back.

// clientNames are the names that a client gives to the queues and ports of the
// device, with the device's names of them. A queue has the number of its queue-id, or
// else the one that is its name, 0 to 7, or else the one of Options.QueueNames. An interface is the port that its
// interface-ref points at, or else the port with its name. Names that are equal on
// both sides are not listed.
type clientNames struct{ queues, ports map[string]string }

// readClientNames reads the names of a tree. fixed are the names that the queues of the switch have by
// themselves. It refuses two names of one queue or port.
func readClientNames(tree *oc.Root, fixed []string) (clientNames, error) {
	n := clientNames{map[string]string{}, map[string]string{}}
	var bad fielderr.List
	n.readQueues(tree, fixed, &bad)
	n.readPorts(tree, &bad)
	return n, buffer.Invalid(bad)
}

// readQueues reads which numbers the queues have. A queue that is named by its number
// has it before any other that claims it.
func (n clientNames) readQueues(tree *oc.Root, fixed []string, bad *fielderr.List) {
	all := tree.GetQos().GetQueues()
	if all == nil {
		return
	}
	owner := map[string]string{} // the queue of a number
	// First the queues whose name is their number, then the others.
	for _, named := range []bool{true, false} {
		for _, name := range sortedKeys(all.Queue) {
			id := queueNumber(name, all.Queue[name].GetConfig(), fixed)
			if id == "" || (id == name) != named {
				continue
			}
			if other, taken := owner[id]; taken {
				bad.Add(fmt.Sprintf("/qos/queues/queue[name=%s]/config/queue-id", name), id,
					fmt.Sprintf("another number: this is the one of queue %s", other))
				continue
			}
			if owner[id] = name; id != name {
				n.queues[name] = id
			}
		}
	}
}

// queueNumber is the device's name of a queue; empty if the device has no such queue. A queue-id of 8 or more is
// passed over, and the name then decides.
func queueNumber(name string, config *oc.OpenconfigQos_Qos_Queues_Queue_Config, fixed []string) string {
	switch {
	case config != nil && config.QueueId != nil && *config.QueueId < pg.PerPort:
		return strconv.Itoa(int(*config.QueueId))
	case numbered(name):
		return name
	case name != "" && slices.Contains(fixed, name):
		return strconv.Itoa(slices.Index(fixed, name))
	default:
		return ""
	}
}

// readPorts reads which ports the interfaces are. An interface-ref of subinterface 0, or without one, is the port
// itself. Two interfaces of one port are refused, because a port has one set of registers and nothing says whose
// values they would be.
func (n clientNames) readPorts(tree *oc.Root, bad *fielderr.List) {
	owner := map[string]string{} // the interface of a port
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
		if other, taken := owner[port]; taken {
			refuse("the port "+port, "another port: this is the one of interface "+other)
			continue
		}
		if owner[port] = id; port != id {
			n.ports[id] = port
		}
	}
}

// sameAsDevice tells whether the client uses the names of the device.
func (n clientNames) sameAsDevice() bool { return len(n.queues)+len(n.ports) == 0 }

// inverse returns the names the other way: those of the client by those of the device.
func (n clientNames) inverse() clientNames {
	return clientNames{inverseMap(n.queues), inverseMap(n.ports)}
}

// inverseMap exchanges keys and values.
func inverseMap(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for from, to := range m {
		out[to] = from
	}
	return out
}

// ofList returns the new names for the keys of a list; nil if it is a list of something
// else.
func (n clientNames) ofList(list *yang.Entry) map[string]string {
	switch {
	case list.Name == "queue" && list.Key == "name":
		return n.queues
	case list.Name == "interface" && list.Key == "interface-id":
		return n.ports
	default:
		return nil
	}
}

// renameTree replaces the names in a tree: in the keys of lists, and in the leaves that
// refer to queues.
func (n clientNames) renameTree(v reflect.Value, e *yang.Entry) error {
	for field, value := range v.Elem().Fields() {
		entry := e.Dir[field.Tag.Get("path")]
		switch {
		case entry == nil || value.IsZero():
		case util.IsTypeStructPtr(field.Type):
			if err := n.renameTree(value, entry); err != nil {
				return err
			}
		case value.Kind() == reflect.Map:
			for _, item := range value.Seq2() {
				if err := n.renameTree(item, entry); err != nil {
					return err
				}
			}
			if to := n.ofList(entry); len(to) > 0 {
				list, err := renamedList(value, entry, to)
				if err != nil {
					return err
				}
				value.Set(list)
			}
		case isQueueReference(entry):
			if to, ok := n.queues[value.Elem().String()]; ok {
				value.Set(reflect.ValueOf(&to))
			}
		}
	}
	return nil
}

// renamedList returns a list with new keys. It refuses two entries with the same new key. It makes a new map, because
// two names may be exchanged: renaming in place would lose one of the entries.
func renamedList(list reflect.Value, e *yang.Entry, to map[string]string) (reflect.Value, error) {
	out := reflect.MakeMapWithSize(list.Type(), list.Len())
	for key, item := range list.Seq2() {
		name, ok := to[key.String()]
		if !ok {
			name = key.String()
		}
		if out.MapIndex(reflect.ValueOf(name)).IsValid() {
			var bad fielderr.List
			bad.Add(strings.TrimPrefix(e.Path(), "/root"), key.String(),
				"another: two of them are the "+e.Name+" "+name+" of this switch")
			return out, buffer.Invalid(bad)
		}
		setKey(item, e.Key, name)
		out.SetMapIndex(reflect.ValueOf(name), item)
	}
	return out, nil
}

// setKey writes the key of a list entry into both of its places: the leaf that is the
// key, and the leaf of that name in config.
func setKey(item reflect.Value, key, name string) {
	for field, value := range item.Elem().Fields() {
		switch field.Tag.Get("path") {
		case key:
			value.Set(reflect.ValueOf(&name))
		case "config":
			if !value.IsNil() {
				setKey(value, key, name)
			}
		}
	}
}

// isQueueReference tells whether a leaf refers to a queue of the switch. Some references
// of the models point at the key of the list of queues, others at the name in config.
func isQueueReference(e *yang.Entry) bool {
	if e.Type == nil || e.Type.Kind != yang.Yleafref {
		return false
	}
	to := util.StripModulePrefixesStr(e.Type.Path)
	return strings.HasSuffix(to, "/queues/queue/name") || strings.HasSuffix(to, "/queues/queue/config/name")
}
