package server

import (
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/util"
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

// subscription is one subscription of a list. A subscription with TARGET_DEFINED becomes
// two: the counters, which are sampled, and the other leaves, which are sent on change. Its times are those of the
// server's clock. covers is asked for every leaf of a reading, so that it looks at paths only.
type subscription struct {
	queries           []*gpb.Path
	filter            func(*shared) bool // nil: every leaf that the queries cover
	onChange          bool
	sample, heartbeat recurring
	suppressRedundant bool     // a sample leaves out leaves that have not changed
	known             *leafSet // that was sent last; nil: none
}

// recurring is a series of times at which leaves are sent.
type recurring struct {
	every time.Duration // 0: never
	next  time.Time
}

// due tells whether a time of the series has come, and moves to the first one that is later than now. Times that were
// missed, because the subscriber was slow, are skipped, so that it does not get several samples at once.
func (r *recurring) due(now time.Time) bool {
	if r.every == 0 || now.Before(r.next) {
		return false
	}
	r.next = r.next.Add(r.every * (now.Sub(r.next)/r.every + 1))
	return true
}

// covers tells whether the subscription has a leaf.
func (i *subscription) covers(l *shared) bool {
	covered := slices.ContainsFunc(i.queries, func(q *gpb.Path) bool { return util.PathMatchesQuery(l.path, q) })
	return covered && (i.filter == nil || i.filter(l))
}

// parseSubscriptions finds the nodes of each subscription of the list. ONCE and POLL need no more. STREAM adds when
// each of them is due: see setModes.
func (sub *subscriber) parseSubscriptions() error {
	for _, asked := range sub.list.GetSubscription() {
		nodes, err := expandWildcards(sub.list.GetPrefix(), asked.GetPath())
		if err != nil {
			return err
		}
		i := &subscription{}
		for _, n := range nodes {
			i.queries = append(i.queries, n.path)
		}
		sub.subscriptions = append(sub.subscriptions, i)
	}
	return nil
}

// setModes sets when each subscription of a STREAM is due (gNMI specification, 3.5.1.5.2). A subscription with the mode
// TARGET_DEFINED becomes two: its counters are sampled, and its other leaves are sent on change. A counter changes with
// every packet, so that an update on every change would be one for every packet.
func (sub *subscriber) setModes() error {
	var all []*subscription
	for n, asked := range sub.list.GetSubscription() {
		i := sub.subscriptions[n]
		var err error
		if i.heartbeat.every, err = sub.interval("heartbeat_interval", asked.GetHeartbeatInterval(), 0); err != nil {
			return err
		}
		switch asked.GetMode() {
		case gpb.SubscriptionMode_ON_CHANGE:
			i.onChange = true
		case gpb.SubscriptionMode_SAMPLE:
			i.suppressRedundant = asked.GetSuppressRedundant()
			i.sample.every, err = sub.interval("sample_interval", asked.GetSampleInterval(), sub.opt.MinSample)
		case gpb.SubscriptionMode_TARGET_DEFINED:
			// gNMI 3.5.1.5.2: the interval is the choice of the target.
			if asked.GetSampleInterval() != 0 {
				return status.Error(codes.InvalidArgument, "sample_interval with TARGET_DEFINED: want 0, because the "+
					"switch chooses it")
			}
			// Counters change all the time: to send them on change would send every packet.
			counters := *i
			counters.filter = func(l *shared) bool { return l.counter }
			counters.sample.every = max(targetSample, sub.opt.MinSample)
			i.onChange, i.filter = true, func(l *shared) bool { return !l.counter }
			all = append(all, &counters)
		default:
			return status.Errorf(codes.InvalidArgument,
				"subscription mode %d: want TARGET_DEFINED, ON_CHANGE, SAMPLE", asked.GetMode())
		}
		if err != nil {
			return err
		}
		all = append(all, i)
	}
	sub.subscriptions = all
	return nil
}

// targetSample is the interval of counters in TARGET_DEFINED.
const targetSample = 10 * time.Second

// interval reads an interval in nanoseconds. 0 lets the switch choose. An interval below MinSample is refused, and not
// lengthened: a client that asks for milliseconds would take samples for events that it does not see.
func (sub *subscriber) interval(name string, asked uint64, otherwise time.Duration) (time.Duration, error) {
	switch {
	case asked == 0: // gNMI: the lowest interval possible, or the choice of the switch
		return otherwise, nil
	case asked < uint64(sub.opt.MinSample) || asked > uint64(maxSample):
		return 0, status.Errorf(codes.InvalidArgument, "%s %d ns: want %d to %d ns (%v to %v), or 0", name, asked,
			sub.opt.MinSample.Nanoseconds(), maxSample.Nanoseconds(), sub.opt.MinSample, maxSample)
	}
	return time.Duration(asked), nil
}
