package server

import (
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// What the modes of Subscribe have in common: reading the leaves of the subscriptions, and
// sending them in notifications of a bounded size.

// subscriber is one Subscribe call.
type subscriber struct {
	*Server
	list          *gpb.SubscriptionList
	to            gpb.GNMI_SubscribeServer
	subscriptions []*subscription
}

// sendRound sends all subscribed leaves, if updates is true, and sync_response.
func (sub *subscriber) sendRound(updates bool) error {
	if updates {
		if err := sub.sendAll(); err != nil {
			return err
		}
	}
	return sub.deliver(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}})
}

// deliver returns when gRPC has accepted the message, or when the time is over. One message at a time
// waits to be accepted; what changes meanwhile is sent together afterwards, so that a slow
// subscriber needs no memory. It delays no other, because no lock is held here.
func (sub *subscriber) deliver(m *gpb.SubscribeResponse) error {
	late, err := sub.within(sub.to.Context(), func() error { return sub.to.Send(m) })
	if late {
		sub.opt.Log.Warn("slow subscriber cut off", "patience", sub.opt.Patience)
		return status.Errorf(codes.ResourceExhausted,
			"slow subscriber: a message waited %v to be taken; the subscription is cut off", sub.opt.Patience)
	}
	return err
}

// sendAll sends all subscribed leaves, of one reading. If every query is about configuration, the device is not read:
// the configuration is in memory, and reading counters of a large switch takes longer than all the rest.
func (sub *subscriber) sendAll() error {
	kind, want := gpb.GetRequest_CONFIG, freshness{change: true}
	for _, i := range sub.subscriptions {
		for _, query := range i.queries {
			config := func(e *gpb.PathElem) bool { return e.GetName() == "config" }
			if !slices.ContainsFunc(query.GetElem(), config) {
				kind, want = gpb.GetRequest_ALL, freshness{}
			}
		}
	}
	all, err := sub.leaves(sub.to.Context(), kind, want)
	if err != nil {
		return err
	}
	for _, i := range sub.subscriptions {
		if err := sub.send(i, nil, all, sendEverything); err != nil {
			return err
		}
	}
	return nil
}

// maxNote is the length of a full notification, in bytes: clients accept 4 MiB by default.
const maxNote = 1 << 20

// send sends what a subscription has to be told of a set of leaves after an earlier one: leaves, and the paths of
// leaves that are gone, in notifications of a bounded size. A notification is made when the one before is taken: a slow
// client has the memory of one. Deletions come first and in notifications of their own: a client that applies both in
// the order of arrival has the state of the switch afterwards, also if an entry was removed and made again. A nil
// earlier set means that the client knows nothing yet.
func (sub *subscriber) send(i *subscription, earlier, now *leafSet, amount sendAmount) error {
	n := notification{subscriber: sub}
	if earlier != nil {
		for l, gone := range now.since(earlier) {
			if gone && i.covers(l) {
				n.gone = append(n.gone, l.path)
				if err := n.added(proto.Size(l.path)); err != nil {
					return err
				}
			}
		}
		if err := n.send(); err != nil {
			return err
		}
	}
	if amount == sendEverything {
		earlier = nil
	}
	for l, gone := range now.since(earlier) {
		if gone || !i.covers(l) {
			continue
		}
		u, err := l.update(sub.list.GetEncoding())
		if err != nil {
			return err
		}
		n.updates = append(n.updates, u.Update)
		if err := n.added(u.bytes); err != nil {
			return err
		}
	}
	return n.send()
}

// notification is the one that is being filled. bytes is the sum of the lengths of its parts, without the few bytes
// of the message around them.
type notification struct {
	*subscriber
	updates []*gpb.Update
	gone    []*gpb.Path
	bytes   int
}

// added counts an update or a path, and sends the notification when it is full: it has the greatest number of them, or
// that many bytes.
func (n *notification) added(bytes int) error {
	if n.bytes += bytes; len(n.updates)+len(n.gone) < n.opt.MaxUpdates && n.bytes < maxNote {
		return nil
	}
	return n.send()
}

// send sends what there is, and begins anew.
func (n *notification) send() error {
	if len(n.updates)+len(n.gone) == 0 {
		return nil
	}
	err := n.deliver(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: &gpb.Notification{
		Timestamp: n.stamp(), Prefix: answerPrefix(n.list.GetPrefix()), Update: n.updates, Delete: n.gone}}})
	n.updates, n.gone, n.bytes = nil, nil, 0
	return err
}
