package server

import (
	"context"
	"iter"
	"reflect"
	"slices"
	"sync/atomic"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/protobuf/proto"
)

// Subscribers share what they are sent. One of them reads the switch, and those that wait meanwhile get the same
// leaves. A leaf that is as it was before is the same object in each reading, and a reading without a change is the
// earlier set itself. So a stream has a pointer to the set that it was sent last, and needs no memory for leaves,
// however many there are.

// leafSet are the leaves of the switch at one moment, sorted by the texts of their paths. It does not change.
type leafSet struct{ all []*shared }

// shared is a leaf of a set. updates are made when they are first needed, and by several subscribers at once at
// worst: both results are the same.
type shared struct {
	leaf
	counter bool                                 // state that is not configured
	updates [encodingCount]atomic.Pointer[sized] // of encodings, once one was asked for
}

// sized is an update and its length in bytes.
type sized struct {
	*gpb.Update
	bytes int
}

// update returns the update of a leaf, which all subscribers share: it must not be changed.
func (l *shared) update(e gpb.Encoding) (*sized, error) {
	at := &l.updates[slices.Index(encodings[:], e)]
	if u := at.Load(); u != nil {
		return u, nil
	}
	v, err := encode(l.data, nil, e)
	if err != nil {
		return nil, err
	}
	u := &sized{Update: &gpb.Update{Path: l.path, Val: v}}
	u.bytes = proto.Size(u.Update)
	at.Store(u)
	return u, nil
}

// reading is a set of leaves and when it was read. number orders readings by their begin. A caller that came before a
// reading began can use it, whenever it ends.
type reading struct {
	set     *leafSet
	number  int64     // of the reading: the first has 1
	changes int       // number of changes before it was read
	began   time.Time // it is of this moment, or later
}

// freshness is how new a set has to be.
type freshness struct {
	change bool          // a set that was read after the last change is enough
	age    time.Duration // or one that is not older; 0: it is read after it was asked for
}

// leaves returns the leaves of the switch, or those of its configuration, which is in memory. One caller reads at a
// time; the others wait, and share what was read for one of them if it is new enough. A caller whose context ends stops
// waiting.
func (s *Server) leaves(ctx context.Context, kind gpb.GetRequest_DataType, want freshness) (*leafSet, error) {
	asked := s.readings.Load()
	if err := lock(ctx, s.cacheLock); err != nil {
		return nil, err
	}
	defer unlock(s.cacheLock)
	// The number is read before the switch: a change during the read makes the next call read again.
	changes, now := s.watchers.changes(), s.opt.Clock.Now()
	if c := s.cached[kind]; c.set != nil && c.changes == changes &&
		(c.number > asked || want.change || want.age > 0 && now.Sub(c.began) <= want.age) {
		return c.set, nil
	}
	number := s.readings.Add(1)
	tree, err := s.tree(ctx, kind)
	if err != nil {
		return nil, err
	}
	set := s.cached[kind].set.next(leavesOf(tree, &gpb.Path{}))
	s.cached[kind] = reading{set, number, changes, now}
	return set, nil
}

// next returns the set with these leaves, which has those of s as they are where they are the same. A nil set has no
// leaves. Both are sorted by path, so that one pass over both compares them.
func (s *leafSet) next(leaves []leaf) *leafSet {
	var before []*shared
	if s != nil {
		before = s.all
	}
	out, kept := make([]*shared, len(leaves)), 0
	for i := range leaves {
		l := &leaves[i]
		for len(before) > 0 && before[0].text < l.text {
			before = before[1:]
		}
		if len(before) > 0 && before[0].text == l.text && l.equal(&before[0].leaf) {
			out[i] = before[0]
			kept++
		} else {
			out[i] = &shared{leaf: *l, counter: isOperational(l.schema())}
		}
	}
	if s != nil && kept == len(out) && kept == len(s.all) {
		return s
	}
	return &leafSet{out}
}

// equal tells whether two leaves of one path have the same value.
func (l *leaf) equal(other *leaf) bool { return reflect.DeepEqual(l.data, other.data) }

// since yields, in the order of their paths, each leaf of the set that an earlier one does not have with its value, and
// each leaf of the earlier set that is not in this one, which is gone. A nil set has no leaves.
func (s *leafSet) since(earlier *leafSet) iter.Seq2[*shared, bool] {
	return func(yield func(l *shared, gone bool) bool) {
		var before []*shared
		if earlier != nil {
			before = earlier.all
		}
		for _, l := range s.all {
			for ; len(before) > 0 && before[0].text < l.text; before = before[1:] {
				if !yield(before[0], true) {
					return
				}
			}
			there := len(before) > 0 && before[0].text == l.text
			if (!there || l != before[0] && !l.equal(&before[0].leaf)) && !yield(l, false) {
				return
			}
			if there {
				before = before[1:]
			}
		}
		for _, l := range before {
			if !yield(l, true) {
				return
			}
		}
	}
}
