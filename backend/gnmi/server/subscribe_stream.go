package server

import (
	"io"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/internal/grouped"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

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
