package watch

import (
	"context"
	"strconv"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/jsontree"
)

// This file counts how often ports go up and down. Where that is not to be read it is not known.

// Listener is a client that takes the changes of ports from the answers that pass by: OpenConfig has them beside the
// counters of ports (carrier-transitions, openconfig-interfaces). Flaps has the number of changes of each port since
// the switch has counted; a port that is not in it is not known.
type Listener struct {
	*gnmi.Client
	Flaps map[string]int64 // by port; one that is not there is not counted
}

// Get sends a request.
func (l *Listener) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	answer, err := l.Client.Get(ctx, req)
	// After an error there is no answer, in which nothing is found.
	l.Hear(answer)
	return answer, err
}

// Hear takes what an answer says of ports. Answers of other forms are passed over: they are for somebody else.
func (l *Listener) Hear(answer *gpb.GetResponse) {
	for _, n := range answer.GetNotification() {
		for _, u := range n.GetUpdate() {
			tree, err := jsontree.Tree(u.GetVal())
			if err != nil {
				continue
			}
			// The names may have the module before them or not, as servers differ.
			tree, _ = jsontree.Models.Unwrap(tree, "interfaces")
			interfaces, _ := jsontree.Models.Unqualified(tree).(map[string]any)
			// What is missing or of another form is nil here, and leaves the port unknown.
			list, _ := interfaces["interface"].([]any)
			for _, x := range list {
				port, _ := x.(map[string]any)
				state, _ := port["state"].(map[string]any)
				counters, _ := state["counters"].(map[string]any)
				// A number beyond 2^62 is no count.
				if n, ok := jsontree.Uint(counters["carrier-transitions"], 64, jsontree.AnyForm); ok && n < 1<<62 {
					l.Flaps[jsontree.Text(port["name"])] = int64(n)
				}
			}
		}
	}
}

// PortTable reads PORT_TABLE of SONiC's APPL_DB, in which orchagent keeps flap_count once a port has changed for the
// first time (sonic-swss, orchagent/portsorch.cpp, updateDbPortFlapCount). An error leaves the changes unknown.
func (l *Listener) PortTable(ctx context.Context, grants []diagnosis.Grant) {
	answer, err := l.Client.Get(ctx, &gpb.GetRequest{Prefix: &gpb.Path{Target: "APPL_DB"}, Encoding: gpb.Encoding_JSON_IETF,
		Path: []*gpb.Path{{Elem: []*gpb.PathElem{{Name: "PORT_TABLE"}}}}})
	if err != nil {
		return
	}
	l.HearPortTable(answer, grants)
}

// HearPortTable takes the changes of ports from an answer for PORT_TABLE. A port that is in the table without the field
// has not changed yet, which is 0.
func (l *Listener) HearPortTable(answer *gpb.GetResponse, grants []diagnosis.Grant) {
	for _, n := range answer.GetNotification() {
		for _, u := range n.GetUpdate() {
			tree, _ := jsontree.Tree(u.GetVal())
			ports, _ := tree.(map[string]any)
			for _, g := range grants {
				fields, there := ports[g.Port].(map[string]any)
				count, counted := fields["flap_count"].(string)
				if n, err := strconv.ParseInt(count, 10, 64); err == nil && n >= 0 || there && !counted {
					l.Flaps[g.Port] = n
				}
			}
		}
	}
}
