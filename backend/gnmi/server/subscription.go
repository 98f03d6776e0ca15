package server

import (
	"reflect"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// subscription is one subscription of a list, or the half of it that is told in one
// way.
type subscription struct {
	queries           []*gpb.Path
	filter            func(leaf) bool // nil: every leaf that the queries cover
	onChange          bool
	interval          time.Duration // of SAMPLE; 0: no samples
	heartbeat         time.Duration // heartbeat: all is told at this interval; 0: never
	suppressRedundant bool          // a sample leaves out what has not changed

	nextSample, nextHeartbeat time.Time
	known                     map[string]leaf // the values that the subscriber knows, by path
}

// parseSubscriptions makes the items of the list.
func (sub *subscriber) parseSubscriptions() error {
	for _, asked := range sub.list.GetSubscription() {
		nodes, err := expandWildcards(sub.list.GetPrefix(), asked.GetPath())
		if err != nil {
			return err
		}
		i := &subscription{known: map[string]leaf{}}
		for _, n := range nodes {
			i.queries = append(i.queries, n.path)
		}
		sub.subscriptions = append(sub.subscriptions, i)
	}
	return nil
}

// setModes says when each item of a STREAM is told.
func (sub *subscriber) setModes() error {
	var all []*subscription
	for n, asked := range sub.list.GetSubscription() {
		i := sub.subscriptions[n]
		var err error
		if i.heartbeat, err = sub.interval("heartbeat_interval", asked.GetHeartbeatInterval(), 0); err != nil {
			return err
		}
		switch asked.GetMode() {
		case gpb.SubscriptionMode_ON_CHANGE:
			i.onChange = true
		case gpb.SubscriptionMode_SAMPLE:
			i.suppressRedundant = asked.GetSuppressRedundant()
			i.interval, err = sub.interval("sample_interval", asked.GetSampleInterval(), sub.opt.MinSample)
		case gpb.SubscriptionMode_TARGET_DEFINED:
			counters := *i
			counters.known, counters.filter = map[string]leaf{}, leaf.isCounter
			counters.interval, err = sub.interval("sample_interval", asked.GetSampleInterval(), max(targetSample, sub.opt.MinSample))
			i.onChange, i.filter = true, func(l leaf) bool { return !l.isCounter() }
			all = append(all, &counters)
		default:
			return status.Errorf(codes.InvalidArgument, "subscription mode %d: accepted: TARGET_DEFINED, ON_CHANGE, SAMPLE", asked.GetMode())
		}
		if err != nil {
			return err
		}
		all = append(all, i)
	}
	sub.subscriptions = all
	return nil
}

// targetSample is the interval at which counters are told in TARGET_DEFINED.
const targetSample = 10 * time.Second

// interval reads nanoseconds. 0 is as the switch likes.
func (sub *subscriber) interval(name string, asked uint64, otherwise time.Duration) (time.Duration, error) {
	switch {
	case asked == 0:
		return otherwise, nil
	case asked < uint64(sub.opt.MinSample) || asked > uint64(maxSample):
		return 0, status.Errorf(codes.InvalidArgument, "%s %d ns: accepted: %d to %d ns (%v to %v), or 0", name, asked,
			sub.opt.MinSample.Nanoseconds(), maxSample.Nanoseconds(), sub.opt.MinSample, maxSample)
	}
	return time.Duration(asked), nil
}

// isCounter tells whether a leaf is state that no configuration asks for.
func (l leaf) isCounter() bool { return isOperational(l.schema()) }

// covers picks the leaves of the item.
func (i *subscription) covers(all []leaf) []leaf {
	out := covered(all, i.queries)
	if i.filter == nil {
		return out
	}
	var some []leaf
	for _, l := range out {
		if i.filter(l) {
			some = append(some, l)
		}
	}
	return some
}

// changesSince compares what is there with what the subscriber knows, and takes it as
// told: leaves that are new or changed, and paths that are gone.
func (i *subscription) changesSince(now []leaf) (changed []leaf, gone []*gpb.Path) {
	there := make(map[string]bool, len(now))
	for _, l := range now {
		there[l.text] = true
		if before, known := i.known[l.text]; !known || !reflect.DeepEqual(before.data, l.data) {
			changed = append(changed, l)
		}
		i.known[l.text] = l
	}
	for text := range i.known {
		if !there[text] {
			gone = append(gone, i.known[text].path)
			delete(i.known, text)
		}
	}
	slices.SortFunc(gone, comparePaths)
	return changed, gone
}
