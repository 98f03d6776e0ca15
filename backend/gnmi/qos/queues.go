package qos

import (
	"maps"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// The list of queues defines their names:
//
// 	"queue": [{"name": "NC1", "config": {"name": "NC1", "queue-id": 7}}]

// queueTable says which queue of a switch has which number. Everything else in
// OpenConfig refers to queues by name; registers have numbers, 0 to 7.
type queueTable struct {
	defined map[string]bool    // the queues that the switch lists
	ids     map[string]int     // queue-ids by name
	names   [pg.PerPort]string // by number; empty: the digit is the name
}

// readQueues reads the list of queues: the number of a queue is its queue-id, or
// the digit that is its name.
func readQueues(qos *oc.OpenconfigQos_Qos) *queueTable {
	q := &queueTable{defined: map[string]bool{}, ids: map[string]int{}}
	all := qos.GetQueues()
	if all == nil {
		return q
	}
	for _, name := range slices.Sorted(maps.Keys(all.Queue)) {
		q.defined[name] = true
		if config := all.Queue[name].GetConfig(); config != nil && config.QueueId != nil {
			id := int(*config.QueueId)
			q.ids[name] = id
			// Of two queues with one number, the one that is named by it has it.
			if id < pg.PerPort && (q.names[id] == "" || name == strconv.Itoa(id)) {
				q.names[id] = name
			}
		}
	}
	return q
}

// number is the number of a queue, 0 to 7. A queue without a number belongs to
// another user of the switch, and so does one whose name is the digit of another
// queue's number: then ok is false.
func (q *queueTable) number(name string) (n int, ok bool) {
	id, given := q.ids[name]
	if !given {
		id, given = digit(name)
	}
	if !given || id >= pg.PerPort || q.name(id) != name {
		return 0, false
	}
	return id, true
}

// name is the name of the queue with a number. A nil table names it by its digit.
func (q *queueTable) name(n int) string {
	if q != nil && q.names[n] != "" {
		return q.names[n]
	}
	return strconv.Itoa(n)
}

// digit reads a name that is a number, 0 to 7.
func digit(queue string) (int, bool) {
	if len(queue) != 1 || queue[0] < '0' || queue[0] >= '0'+pg.PerPort {
		return 0, false
	}
	return int(queue[0] - '0'), true
}
