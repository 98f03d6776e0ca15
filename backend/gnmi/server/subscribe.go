package server

import (
	"context"
	"io"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A Subscribe call is one goroutine for the modes ONCE and POLL. A STREAM has a second one
// that listens to the client. What waits for the client runs beside them, so that a slow one can be cut off.

// Subscribe sends an update for each leaf below the subscribed paths, and then
// sync_response. ONCE ends there. POLL does the same for each poll. STREAM continues with
// the leaves that change (ON_CHANGE) or with all leaves at intervals (SAMPLE);
// TARGET_DEFINED samples counters and sends the other leaves when they change. With
// updates_only the first round is sync_response alone.
func (s *Server) Subscribe(stream gpb.GNMI_SubscribeServer) error {
	return bounded(s.subscribe(stream))
}

// subscribe is Subscribe with errors of any length.
func (s *Server) subscribe(stream gpb.GNMI_SubscribeServer) error {
	if err := s.allow(stream.Context(), false); err != nil {
		return err
	}
	// A stream that is too many is refused at once: to wait would hide the limit.
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		return status.Errorf(codes.ResourceExhausted,
			"%d subscriptions are open: want at most that many at a time", s.opt.MaxStreams)
	}
	first, err := s.firstMessage(stream)
	if err != nil {
		return err
	}
	list := first.GetSubscribe()
	if err := s.checkRequest(first, list); err != nil {
		return err
	}
	sub := &subscriber{Server: s, list: list, to: stream}
	switch list.GetMode() {
	case gpb.SubscriptionList_ONCE:
		return sub.once()
	case gpb.SubscriptionList_POLL:
		return sub.poll()
	default:
		return sub.stream()
	}
}

// firstMessage waits for the first message. Options.Patience bounds the wait, because the
// call takes one of the places for streams.
func (s *Server) firstMessage(stream gpb.GNMI_SubscribeServer) (*gpb.SubscribeRequest, error) {
	var m *gpb.SubscribeRequest
	late, err := s.within(stream.Context(), func() (err error) {
		m, err = stream.Recv() // it has no deadline of its own
		return err
	})
	switch {
	case late:
		return nil, status.Errorf(codes.DeadlineExceeded, "no subscription list in %v", s.opt.Patience)
	case err == io.EOF:
		return nil, status.Error(codes.InvalidArgument, "no message: want a subscription list")
	case err != nil:
		return nil, err
	}
	return m, nil
}

// within calls f, which waits for a client, and waits for it as long as Options.Patience allows: late tells that this
// is over. f then goes on in its goroutine until the stream has ended, which is when the caller returns an error.
func (s *Server) within(ctx context.Context, f func() error) (late bool, err error) {
	done, over := make(chan error, 1), make(chan struct{})
	timer := s.opt.Clock.AfterFunc(s.opt.Patience, func() { close(over) })
	defer timer.Stop()
	go func() { done <- f() }()
	select {
	case err := <-done:
		return false, err
	case <-ctx.Done():
		return false, ended(ctx)
	case <-over:
		return true, nil
	}
}

// checkRequest refuses what this switch does not implement. A QoS marking is passed over without an error, as the
// package comment says.
func (s *Server) checkRequest(first *gpb.SubscribeRequest, list *gpb.SubscriptionList) error {
	if err := noExtensions(first.GetExtension()); err != nil {
		return err
	}
	n := len(list.GetSubscription())
	switch {
	case list == nil:
		return status.Error(codes.InvalidArgument, "the first message of Subscribe: want a subscription list")
	case gpb.SubscriptionList_Mode_name[int32(list.GetMode())] == "":
		return status.Errorf(codes.InvalidArgument, "mode %d: want STREAM, ONCE, POLL", list.GetMode())
	case n == 0 || n > maxPaths:
		return status.Errorf(codes.InvalidArgument, "%d subscriptions: want 1 to %d", n, maxPaths)
	case len(list.GetUseModels()) > 0:
		return status.Error(codes.Unimplemented, "use_models: this switch always uses all of its models")
	}
	return checkEncoding(list.GetEncoding())
}

// once is the mode ONCE.
func (sub *subscriber) once() error {
	if err := sub.parseSubscriptions(); err != nil {
		return err
	}
	return sub.sendRound(!sub.list.GetUpdatesOnly())
}

// poll is the mode POLL. The paths are read once: a poll names none.
func (sub *subscriber) poll() error {
	if err := sub.once(); err != nil {
		return err
	}
	for {
		m, err := sub.to.Recv()
		switch {
		case err == io.EOF: // the client has all it wants
			return nil
		case err != nil:
			return err
		case m.GetPoll() == nil:
			return status.Error(codes.InvalidArgument, "a message after the subscription list: want a poll")
		}
		if err := sub.sendRound(true); err != nil {
			return err
		}
	}
}
