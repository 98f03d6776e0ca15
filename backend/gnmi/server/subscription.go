package server

import (
	"reflect"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// subscription is one subscription of a list. A subscription with TARGET_DEFINED becomes
// two: the counters, which are sampled, and the other leaves, which are sent on change.
type subscription struct {
	queries           []*gpb.Path
	filter            func(leaf) bool // nil: every leaf that the queries cover
	onChange          bool
	interval          time.Duration // of SAMPLE; 0: no samples
	heartbeat         time.Duration // all leaves are sent at this interval; 0: never
	suppressRedundant bool          // a sample leaves out leaves that have not changed

	nextSample, nextHeartbeat time.Time
	known                     map[string]leaf // the leaves that were sent, by path
}

// isCounter tells whether a leaf is state that is not configured.
func (l leaf) isCounter() bool { return isOperational(l.schema()) }

// covers returns the leaves of the subscription.
func (i *subscription) covers(all *leafSet) []leaf {
	out := all.covered(i.queries)
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

// changesSince compares the present leaves with those that were sent. It returns the
// leaves that are new or changed, and the paths of those that are gone, and counts them as
// sent.
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
