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
	interval          time.Duration // of SAMPLE; 0: no samples
	heartbeat         time.Duration // all leaves are sent at this interval; 0: never
	suppressRedundant bool          // a sample leaves out leaves that have not changed

	nextSample, nextHeartbeat time.Time
	known                     *leafSet // that was sent last; nil: none
}

// covers tells whether the subscription has a leaf.
func (i *subscription) covers(l *shared) bool {
	covered := slices.ContainsFunc(i.queries, func(q *gpb.Path) bool { return util.PathMatchesQuery(l.path, q) })
	return covered && (i.filter == nil || i.filter(l))
}
