package server

import (
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// What the modes of Subscribe have in common: reading the leaves of the subscriptions, and
// sending them in notifications of a bounded size.

// subscriber is one Subscribe call.
type subscriber struct {
	*Server
	list          *gpb.SubscriptionList
	out           *sender
	subscriptions []*subscription
}

// sendRound sends all subscribed leaves, if updates is true, and sync_response.
func (sub *subscriber) sendRound(updates bool) error {
	if updates {
		if err := sub.sendAll(); err != nil {
			return err
		}
	}
	return sub.out.send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}})
}

// sendAll sends all subscribed leaves, of one reading. If every query is about configuration, the device is not read:
// the configuration is in memory, and reading counters of a large switch takes longer than all the rest.
func (sub *subscriber) sendAll() error {
	kind := gpb.GetRequest_CONFIG
	for _, i := range sub.subscriptions {
		if slices.ContainsFunc(i.queries, func(q *gpb.Path) bool { return !onlyConfig(q) }) {
			kind = gpb.GetRequest_ALL
		}
	}
	tree, err := sub.tree(sub.out.ctx, kind)
	if err != nil {
		return err
	}
	for _, i := range sub.subscriptions {
		var all []leaf
		if len(i.queries) == 1 {
			all = leavesAt(tree, i.queries[0])
		} else { // several queries may cover a leaf twice
			all = covered(leavesAt(tree, &gpb.Path{}), i.queries)
		}
		if err := sub.send(all, nil); err != nil {
			return err
		}
	}
	return nil
}

// onlyConfig tells whether a query covers configuration only, so that state need not be
// read.
func onlyConfig(query *gpb.Path) bool {
	return slices.ContainsFunc(query.GetElem(), func(e *gpb.PathElem) bool { return e.GetName() == "config" })
}

// leaves returns the present leaves of the switch.
func (sub *subscriber) leaves() (*leafSet, error) {
	tree, err := sub.tree(sub.out.ctx, gpb.GetRequest_ALL)
	if err != nil {
		return nil, err
	}
	return &leafSet{all: leavesOf(tree, &gpb.Path{})}, nil
}

// maxNote is the length of a full notification, in bytes: clients accept 4 MiB by default.
const maxNote = 1 << 20

// send sends leaves, and the paths of leaves that are gone, in bundles. Deletions come first and in a notification of
// their own: a client that applies both in the order of arrival has the state of the switch afterwards, also if an
// entry was removed and made again.
func (sub *subscriber) send(all []leaf, gone []*gpb.Path) error {
	updates, err := encoded(all, sub.list.GetEncoding())
	if err != nil {
		return err
	}
	note := func(updates []*gpb.Update, gone []*gpb.Path) error {
		return sub.out.send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_Update{Update: &gpb.Notification{
			Timestamp: sub.stamp(), Prefix: answerPrefix(sub.list.GetPrefix()), Update: updates, Delete: gone}}})
	}
	if len(gone) > 0 {
		if err := note(nil, gone); err != nil {
			return err
		}
	}
	for _, part := range bundles(updates, sub.opt.MaxUpdates, maxNote) {
		if err := note(part, nil); err != nil {
			return err
		}
	}
	return nil
}
