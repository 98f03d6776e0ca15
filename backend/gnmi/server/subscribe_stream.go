package server

import (
	"io"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// stream answers, and goes on until the subscriber ends it.
func (sub *subscriber) stream(stream gpb.GNMI_SubscribeServer) error {
	if err := sub.parse(); err != nil {
		return err
	}
	if err := sub.schedule(); err != nil {
		return err
	}
	changed, remove := sub.watchers.add() // before the first look: nothing is missed
	defer remove()
	if err := sub.begin(); err != nil {
		return err
	}
	more := listen(stream)
	for {
		tick, stop := sub.alarm()
		var err error
		select {
		case <-stream.Context().Done():
			err = status.FromContextError(stream.Context().Err()).Err()
		case err = <-more:
		case <-changed:
			err = sub.tell((*item).afterChange, func() ([]leaf, error) { return sub.since(stream.Context()) })
		case <-tick:
			err = sub.tell((*item).afterTime, sub.leaves)
		}
		stop()
		if err != nil {
			return err
		}
	}
}

// listen reports what the subscriber says after its subscription list, which
// should be nothing. It may close its side and go on reading.
func listen(stream gpb.GNMI_SubscribeServer) <-chan error {
	out := make(chan error, 1)
	go func() {
		_, err := stream.Recv()
		switch err {
		case nil:
			out <- status.Error(codes.InvalidArgument, "a message after the subscription list of a STREAM: accepted: none")
		case io.EOF:
		default:
			out <- err
		}
	}()
	return out
}

// begin tells all there is, unless the subscriber wants updates only, and
// starts the intervals.
func (sub *subscriber) begin() error {
	all, err := sub.leaves()
	if err != nil {
		return err
	}
	now := sub.opt.Clock.Now()
	for _, i := range sub.items {
		changed, _ := i.news(i.covers(all))
		i.nextSample, i.nextBeat = now.Add(i.every), now.Add(i.beat)
		if !sub.list.GetUpdatesOnly() {
			if err := sub.send(changed, nil); err != nil {
				return err
			}
		}
	}
	return sub.round(false)
}

// alarm returns a channel that is closed when the next interval is over, and
// what takes that back.
func (sub *subscriber) alarm() (<-chan struct{}, func()) {
	var next time.Time
	for _, i := range sub.items {
		for _, at := range i.times() {
			if next.IsZero() || at.Before(next) {
				next = at
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

// times are those at which an item is to be told.
func (i *item) times() []time.Time {
	var out []time.Time
	if i.every > 0 {
		out = append(out, i.nextSample)
	}
	if i.beat > 0 {
		out = append(out, i.nextBeat)
	}
	return out
}

// tell reads the switch once and tells each item what it is due.
func (sub *subscriber) tell(due func(i *item, now time.Time) telling, read func() ([]leaf, error)) error {
	now := sub.opt.Clock.Now()
	var tellings []telling
	for _, i := range sub.items {
		tellings = append(tellings, due(i, now))
	}
	if !slices.ContainsFunc(tellings, func(t telling) bool { return t != nothing }) {
		return nil
	}
	all, err := read()
	if err != nil {
		return err
	}
	for n, i := range sub.items {
		if tellings[n] == nothing {
			continue
		}
		there := i.covers(all)
		changed, gone := i.news(there)
		if tellings[n] == everything {
			changed = there
		}
		if err := sub.send(changed, gone); err != nil {
			return err
		}
	}
	return nil
}

// telling is how much an item is to be told.
type telling int

const (
	nothing telling = iota
	changes
	everything
)

// afterChange is what is told when something has changed.
func (i *item) afterChange(time.Time) telling {
	if i.onChange {
		return changes
	}
	return nothing
}

// afterTime is what is told when an interval is over. Intervals that were
// missed, because the subscriber was slow, are not made up for.
func (i *item) afterTime(now time.Time) telling {
	due := nothing
	if i.every > 0 && !now.Before(i.nextSample) {
		i.nextSample = after(i.nextSample, i.every, now)
		due = everything
		if i.quiet {
			due = changes
		}
	}
	if i.beat > 0 && !now.Before(i.nextBeat) {
		i.nextBeat = after(i.nextBeat, i.beat, now)
		due = everything
	}
	return due
}

// after is the first time of a series that is yet to come.
func after(at time.Time, every time.Duration, now time.Time) time.Time {
	return at.Add(every * (now.Sub(at)/every + 1))
}
