package server

import (
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/util"
)

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
