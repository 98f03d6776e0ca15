package server

import (
	"reflect"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
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
