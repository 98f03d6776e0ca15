package server

import (
	"io"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Subscribe answers with an update for each leaf under the subscribed paths,
// then sync_response. ONCE ends there. POLL does it again for each poll. STREAM
// goes on with what changes (ON_CHANGE) or with all of it at intervals
// (SAMPLE); TARGET_DEFINED samples counters and tells the rest on change. With
// updates_only the first round is sync_response alone.
func (s *Server) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	if err := s.allow(stream.Context(), ReadOnly); err != nil {
		return err
	}
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		return status.Errorf(codes.ResourceExhausted, "%d subscriptions are open: accepted: at most that many at a time", s.opt.MaxStreams)
	}
	first, err := s.firstMessage(stream)
	if err != nil {
		return err
	}
	list := first.GetSubscribe()
	if err := s.checkRequest(first, list); err != nil {
		return err
	}
	sub := &subscriber{Server: s, list: list, out: newSender(stream, s.opt)}
	defer sub.out.close()
	switch list.GetMode() {
	case gpb.SubscriptionList_ONCE:
		return sub.once()
	case gpb.SubscriptionList_POLL:
		return sub.poll(stream)
	default:
		return sub.stream(stream)
	}
}

// firstMessage waits for the first message, but not for ever: the place is taken.
func (s *Server) firstMessage(stream gpb.GNMI_SubscribeServer) (*gpb.SubscribeRequest, error) {
	var m *gpb.SubscribeRequest
	var err error
	got, late := make(chan struct{}), make(chan struct{})
	timer := s.opt.Clock.AfterFunc(s.opt.Patience, func() { close(late) })
	defer timer.Stop()
	go func() {
		m, err = stream.Recv()
		close(got)
	}()
	select {
	case <-late:
		return nil, status.Errorf(codes.DeadlineExceeded, "no subscription list in %v", s.opt.Patience)
	case <-got:
	}
	if err == io.EOF {
		return nil, status.Error(codes.InvalidArgument, "no message: accepted: a subscription list")
	}
	return m, err
}

// checkRequest refuses what this switch cannot do.
func (s *Server) checkRequest(first *gpb.SubscribeRequest, list *gpb.SubscriptionList) error {
	if err := noExtensions(first.GetExtension()); err != nil {
		return err
	}
	n := len(list.GetSubscription())
	switch {
	case list == nil:
		return status.Error(codes.InvalidArgument, "the first message of Subscribe: accepted: a subscription list")
	case gpb.SubscriptionList_Mode_name[int32(list.GetMode())] == "":
		return status.Errorf(codes.InvalidArgument, "mode %d: accepted: STREAM, ONCE, POLL", list.GetMode())
	case n == 0 || n > maxPaths:
		return status.Errorf(codes.InvalidArgument, "%d subscriptions: accepted: 1 to %d", n, maxPaths)
	case len(list.GetUseModels()) > 0:
		return status.Error(codes.Unimplemented, "use_models: this switch always uses all of its models")
	}
	return checkEncoding(list.GetEncoding())
}

// subscriber is one Subscribe call.
type subscriber struct {
	*Server
	list          *gpb.SubscriptionList
	out           *sender
	subscriptions []*subscription
}

// once answers and ends.
func (sub *subscriber) once() error {
	if err := sub.parseSubscriptions(); err != nil {
		return err
	}
	return sub.sendRound(!sub.list.GetUpdatesOnly())
}

// poll answers, and then each time it is asked.
func (sub *subscriber) poll(stream gpb.GNMI_SubscribeServer) error {
	if err := sub.once(); err != nil {
		return err
	}
	for {
		m, err := stream.Recv()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case m.GetPoll() == nil:
			return status.Error(codes.InvalidArgument, "a message after the subscription list: accepted: a poll")
		}
		if err := sub.sendRound(true); err != nil {
			return err
		}
	}
}

// sendRound sends all that the items cover, if asked to, and sync_response.
func (sub *subscriber) sendRound(updates bool) error {
	if updates {
		if err := sub.sendAll(); err != nil {
			return err
		}
	}
	return sub.out.send(&gpb.SubscribeResponse{Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}})
}

// sendAll sends all that the items cover.
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
		} else { // which may cover a leaf twice
			all = covered(leavesAt(tree, &gpb.Path{}), i.queries)
		}
		if err := sub.send(all, nil); err != nil {
			return err
		}
	}
	return nil
}

// onlyConfig tells whether there is no state where a query leads.
func onlyConfig(query *gpb.Path) bool {
	return slices.ContainsFunc(query.GetElem(), func(e *gpb.PathElem) bool { return e.GetName() == "config" })
}

// leaves reads the switch.
func (sub *subscriber) leaves() ([]leaf, error) {
	tree, err := sub.tree(sub.out.ctx, gpb.GetRequest_ALL)
	if err != nil {
		return nil, err
	}
	return leavesOf(tree, &gpb.Path{}), nil
}

// maxNote is the length of a notification above which no more is bundled:
// clients take 4 MiB unless they are told otherwise.
const maxNote = 1 << 20

// send sends leaves, and the paths of leaves that are gone, in bundles.
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
