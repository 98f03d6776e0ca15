package server

import (
	"context"
	"io"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/grouped"
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

// A STREAM waits for three things at a time: a change, the end of the next interval, and a
// message or the end of the client. At a change or an interval the switch is read once, and
// every subscription of the call gets what is due.

// stream is the mode STREAM. It ends when the client ends the call, or with an error.
func (sub *subscriber) stream() error {
	if err := sub.parseSubscriptions(); err != nil {
		return err
	}
	if err := sub.setModes(); err != nil {
		return err
	}
	changed, remove := sub.watchers.add() // before the first read, so that no change is missed
	defer remove()
	if err := sub.sendInitial(); err != nil {
		return err
	}
	more := listen(sub.to)
	for {
		tick, stop := sub.nextTimer()
		var err error
		select {
		case <-sub.to.Context().Done():
			err = ended(sub.to.Context())
		case err = <-more:
		case <-changed:
			err = sub.sendDue((*subscription).afterChange, freshness{change: true})
		case <-tick: // an interval is over
			err = sub.sendDue((*subscription).afterTime, freshness{age: sub.sampleAge()})
		}
		stop()
		if err != nil {
			return err
		}
	}
}

// listen returns an error if the client sends a message after its subscription list. The
// client may close its side of the stream and continue to read. The channel has a place, so that the goroutine ends
// with the stream even if nobody reads its error.
func listen(stream gpb.GNMI_SubscribeServer) <-chan error {
	out := make(chan error, 1)
	go func() {
		_, err := stream.Recv()
		switch err {
		case nil:
			out <- status.Error(codes.InvalidArgument, "a message after the subscription list of a STREAM: want none")
		case io.EOF:
		default:
			out <- err
		}
	}()
	return out
}

// sendInitial sends all leaves, unless the client wants updates only, and starts the
// intervals. The leaves are of one reading, which later changes are compared with.
func (sub *subscriber) sendInitial() error {
	all, err := sub.leaves(sub.to.Context(), gpb.GetRequest_ALL, freshness{})
	if err != nil {
		return err
	}
	now := sub.opt.Clock.Now()
	for _, i := range sub.subscriptions {
		i.known = all // with updates_only the present leaves are not sent, and count as sent
		i.sample.next, i.heartbeat.next = now.Add(i.sample.every), now.Add(i.heartbeat.every)
		if !sub.list.GetUpdatesOnly() {
			if err := sub.send(i, nil, all, sendEverything); err != nil {
				return err
			}
		}
	}
	return sub.sendRound(false)
}

// nextTimer returns a channel that is closed when the next interval is over, and a
// function that stops the timer. The channel is nil, which never is ready, if no subscription has an interval. There is
// one timer for all subscriptions, and it is set anew after each event, because an event may have moved the next
// time. A time that has passed gives a timer that fires at once.
func (sub *subscriber) nextTimer() (<-chan struct{}, func()) {
	var next time.Time
	for _, i := range sub.subscriptions {
		for _, r := range []recurring{i.sample, i.heartbeat} {
			if r.every > 0 && (next.IsZero() || r.next.Before(next)) {
				next = r.next
			}
		}
	}
	if next.IsZero() {
		return nil, func() {}
	}
	tick := make(chan struct{})
	timer := sub.opt.Clock.AfterFunc(next.Sub(sub.opt.Clock.Now()), func() { close(tick) })
	return tick, func() { timer.Stop() }
}

// sendDue reads the switch once and sends each subscription what is due. All subscriptions of a call get the leaves of
// one reading, so that their values belong together and have one timestamp. due also moves the next sample and the next
// heartbeat of a subscription, and is therefore called once for each.
func (sub *subscriber) sendDue(due func(i *subscription, now time.Time) sendAmount, want freshness) error {
	now := sub.opt.Clock.Now()
	tellings := grouped.Each(sub.subscriptions, func(i *subscription) sendAmount { return due(i, now) })
	// The switch is read only if a subscription needs it: reading takes tens of milliseconds on a large switch.
	if !slices.ContainsFunc(tellings, func(t sendAmount) bool { return t != sendNothing }) {
		return nil
	}
	all, err := sub.leaves(sub.to.Context(), gpb.GetRequest_ALL, want)
	if err != nil {
		return err
	}
	for n, i := range sub.subscriptions {
		if tellings[n] == sendNothing {
			continue
		}
		earlier := i.known
		i.known = all
		if err := sub.send(i, earlier, all, tellings[n]); err != nil {
			return err
		}
	}
	return nil
}

// mostSampleAge is the age of the oldest reading that a sample may have.
const mostSampleAge = time.Second

// sampleAge is how old the reading of a sample may be: a tenth of the shortest interval, at most mostSampleAge. So
// streams whose samples are due at about the same time share a reading, and there are few different ones at a time.
func (sub *subscriber) sampleAge() time.Duration {
	age := mostSampleAge
	for _, i := range sub.subscriptions {
		for _, r := range []recurring{i.sample, i.heartbeat} {
			if r.every > 0 {
				age = min(age, r.every/10)
			}
		}
	}
	return age
}

// sendAmount is how much is sent for a subscription.
type sendAmount int

// The amounts, the smallest first.
const (
	sendNothing sendAmount = iota
	sendChanges
	sendEverything
)

// afterChange is what is due after a change.
func (i *subscription) afterChange(time.Time) sendAmount {
	if i.onChange {
		return sendChanges
	}
	return sendNothing
}

// afterTime is what is due when an interval is over.
func (i *subscription) afterTime(now time.Time) sendAmount {
	due := sendNothing
	if i.sample.due(now) {
		due = sendEverything
		if i.suppressRedundant {
			due = sendChanges
		}
	}
	if i.heartbeat.due(now) {
		due = sendEverything
	}
	return due
}
