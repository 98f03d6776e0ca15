package gnmi_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// call is one RPC on its way to a switch: a fault passes it on with next, or does not.
type call struct {
	ctx  context.Context
	req  *gpb.SetRequest
	n    int // of the Sets that change something, from 1
	lab  *lab
	next func(*gpb.SetRequest) (*gpb.SetResponse, error)
}

// fault is how a switch misbehaves when it is sent changes. After it, a push has
// ended in one of the states, which is true.
type fault struct {
	set     func(call) (*gpb.SetResponse, error)
	states  []backend.State
	models  []*gpb.ModelData // nil: those that it has
	timeout time.Duration    // of a Set; 0: the client's own, which no test runs into
	sizes   bool             // it cannot hold some sizes, so it held none before
}

// expected are the states in which a push may end. A switch that stores other values than were written is left with
// them, because another client could have made them; one that undoes a commit by itself is as before.
func (f fault) expected(mode string) []backend.State {
	if f.sizes && !strings.HasSuffix(mode, ", commit-confirmed") {
		return []backend.State{backend.Partial}
	}
	return f.states
}

// resized changes the sizes in a request as a switch does that cannot hold them.
func resized(f func(int64) int64) func(call) (*gpb.SetResponse, error) {
	size := regexp.MustCompile(`"openconfig-qos:dedicated-buffer":"(\d+)"|"dedicated-buffer":"(\d+)"`)
	return func(c call) (*gpb.SetResponse, error) {
		for _, u := range slices.Concat(c.req.Replace, c.req.Update) {
			text := size.ReplaceAllStringFunc(string(u.GetVal().GetJsonIetfVal()), func(s string) string {
				digits := regexp.MustCompile(`\d+`).FindString(s)
				n, _ := strconv.ParseInt(digits, 10, 64)
				return regexp.MustCompile(`\d+`).ReplaceAllString(s, fmt.Sprint(f(n)))
			})
			u.Val = &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}
		}
		return c.next(c.req)
	}
}

// first misbehaves at the first change alone: what undoes it gets through.
func first(set func(call) (*gpb.SetResponse, error)) func(call) (*gpb.SetResponse, error) {
	return func(c call) (*gpb.SetResponse, error) {
		if c.n > 1 {
			return c.next(c.req)
		}
		return set(c)
	}
}

// wrote makes the change and then fails.
func wrote(fail func(call) error) func(call) (*gpb.SetResponse, error) {
	return func(c call) (*gpb.SetResponse, error) {
		if _, err := c.next(c.req); err != nil {
			return nil, err
		}
		return nil, fail(c)
	}
}

func did(fail func(call) error) func(call) (*gpb.SetResponse, error) {
	return func(c call) (*gpb.SetResponse, error) { return nil, fail(c) }
}

func says(code codes.Code) func(call) error {
	return func(call) error { return status.Error(code, "words of the switch") }
}

func hangs(c call) error { <-c.ctx.Done(); return c.ctx.Err() }

func resets(c call) error {
	c.lab.cut()
	return status.Error(codes.Unavailable, "gone")
}

func slow(c call) (*gpb.SetResponse, error) {
	time.Sleep(5 * time.Millisecond)
	return c.next(c.req)
}

// half makes no deletion and all but the last update, and says that it made all.
func half(c call) (*gpb.SetResponse, error) {
	if n := len(c.req.Update); n > 1 {
		c.req.Update = c.req.Update[:n-1]
	}
	c.req.Delete = nil
	return c.next(c.req)
}

func reordered(c call) (*gpb.SetResponse, error) {
	slices.Reverse(c.req.Update)
	slices.Reverse(c.req.Replace)
	slices.Reverse(c.req.Delete)
	return c.next(c.req)
}

var (
	asPlanned = []backend.State{backend.Applied}
	asBefore  = []backend.State{backend.Refused, backend.RolledBack}
	either    = []backend.State{backend.Applied, backend.Refused, backend.RolledBack}
)

var faults = map[string]fault{
	"none": {set: func(c call) (*gpb.SetResponse, error) { return c.next(c.req) },
		states: asPlanned},
	"refuses":           {set: did(says(codes.ResourceExhausted)), states: asBefore},
	"refuses the first": {set: first(did(says(codes.InvalidArgument))), states: asBefore},
	"refuses the second": {set: func(c call) (*gpb.SetResponse,
		error) {
		return second(c, did(says(codes.FailedPrecondition)))
	}, states: either},
	"clamps": {set: resized(func(n int64) int64 { return min(n, 1000) }), states: asBefore,
		sizes: true},
	"rounds up": {set: resized(func(n int64) int64 { return (n + 511) / 512 * 512 }),
		states: asBefore, sizes: true},
	"rounds down": {set: resized(func(n int64) int64 { return n / 1024 * 1024 }), states: asBefore,
		sizes: true},
	"applies half":             {set: first(half), states: asBefore},
	"errors but wrote":         {set: first(wrote(says(codes.Internal))), states: either},
	"is unavailable but wrote": {set: first(wrote(says(codes.Unavailable))), states: asPlanned},
	"says OK but did not": {set: first(func(call) (*gpb.SetResponse, error) {
		return &gpb.SetResponse{},
			nil
	}), states: asBefore},
	"hangs": {set: first(did(hangs)), states: []backend.State{backend.Unknown},
		timeout: 300 * time.Millisecond},
	"hangs but wrote":                 {set: first(wrote(hangs)), states: asPlanned, timeout: 300 * time.Millisecond},
	"resets the connection":           {set: first(did(resets)), states: either},
	"resets the connection but wrote": {set: first(wrote(resets)), states: asPlanned},
	"reorders updates":                {set: reordered, states: asPlanned},
	"answers slowly":                  {set: slow, states: asPlanned},
	"reports another model": {models: []*gpb.ModelData{{Name: "vendor-qos"}},
		states: []backend.State{backend.Unchanged}},
}

// second misbehaves at the second change alone.
func second(c call, set func(call) (*gpb.SetResponse, error)) (*gpb.SetResponse, error) {
	if c.n != 2 {
		return c.next(c.req)
	}
	return set(c)
}

// changes tells a Set that changes something from one that has an extension alone.
func changes(req *gpb.SetRequest) bool { return len(req.Delete)+len(req.Replace)+len(req.Update) > 0 }

// faulty puts the fault between client and switch.
func (f fault) install(l *lab) {
	n := 0
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hook = func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		switch req := req.(type) {
		case *gpb.CapabilityRequest:
			answer, err := next(ctx, req)
			if err == nil && f.models != nil {
				answer.(*gpb.CapabilityResponse).SupportedModels = f.models
			}
			return answer, err
		case *gpb.SetRequest:
			if changes(req) && f.set != nil {
				n++
				return f.set(call{ctx, req, n, l, func(req *gpb.SetRequest) (*gpb.SetResponse, error) {
					// What the switch does, it does though nobody waits for it any more.
					answer, err := next(context.WithoutCancel(ctx), req)
					if err != nil {
						return nil, err
					}
					return answer.(*gpb.SetResponse), nil
				}})
			}
		}
		return next(ctx, req)
	}
}

// modes are the ways of pushing.
var modes = map[string]gnmi.Options{
	"as one":                       {},
	"as one, commit-confirmed":     {Rollback: 10 * time.Minute},
	"in phases":                    {Phased: true},
	"in phases, commit-confirmed":  {Phased: true, Rollback: 10 * time.Minute},
	"as one, commit is not obeyed": {Rollback: 10 * time.Minute, Target: ignorant},
}

// ignorant is the target's name in a mode in which the switch ignores extensions.
const ignorant = "ignorant"

// TestFaults pushes to a switch that misbehaves, in every way of pushing. The push ends with the true state known,
// either as before or as planned, no commit waits, and the next push, to a switch that behaves, succeeds.
func TestFaults(t *testing.T) {
	effort.SkipFew(t, "it pushes through each fault")
	for i, mode := range slices.Sorted(maps.Keys(modes)) {
		opt := modes[mode]
		for k, name := range slices.Sorted(maps.Keys(faults)) {
			if !effort.Some(i+k, len(modes)) { // each fault in one mode, and each mode with some faults
				continue
			}
			t.Run(name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				l, before, want := misbehaving(t, !faults[name].sizes)
				faults[name].install(l)
				if opt.Target == ignorant {
					ignore(l)
				}
				opt := opt
				opt.SetTimeout = faults[name].timeout
				report, err := backend.Converge(t.Context(), l.with(t, opt), want, backend.Options{})
				t.Logf("%s: %v", report.State, err)
				require.Contains(t, faults[name].expected(mode), report.State)
				require.Equal(t, report.State == backend.Applied, err == nil, "%v", err)
				holds := before
				if report.State == backend.Applied {
					holds = carried(want)
				}
				have, err := l.asic.Observe(t.Context())
				require.NoError(t, err)
				if report.State == backend.Partial {
					require.Equal(t, buffer.Diff(have, before), report.Others, "all else is as before")
				} else {
					require.Equal(t, holds, have)
				}
				fault{}.install(l)
				requireNoCommit(t, l)
				report, err = backend.Converge(t.Context(), l.with(t, gnmi.Options{}), want, backend.Options{})
				require.NoError(t, err)
				require.Contains(t, []backend.State{backend.Applied, backend.Unchanged}, report.State)
			})
		}
	}
}

// A switch that can no longer be told what it held before is left with neither, and the report says which registers
// differ; where it undoes a commit itself, it is as before.
func TestWhatCannotBeLedBack(t *testing.T) {
	for rollback, state := range map[time.Duration]backend.State{0: backend.Partial, time.Hour: backend.RolledBack} {
		l, before, want := misbehaving(t, true)
		faults["clamps"].install(l)
		report, err := backend.Converge(t.Context(), l.with(t, gnmi.Options{Rollback: rollback}), want, backend.Options{})
		require.ErrorIs(t, err, backend.ErrMismatch)
		require.Equal(t, state, report.State)
		have, look := l.asic.Observe(t.Context())
		require.NoError(t, look)
		if state == backend.RolledBack {
			require.Equal(t, before, have)
			continue
		}
		require.Equal(t, buffer.Diff(have, before), report.Differences)
	}
}

// misbehaving is a switch that holds something, and what it shall hold: more of some, less of other registers.
func misbehaving(t *testing.T, sizes bool) (l *lab, before, want buffer.Layout) {
	t.Helper()
	l, want = newLab(t, chip(20000)), planned(t, weighed("Ethernet1/1", "Ethernet1/2"))
	before = buffer.NewLayout([]buffer.Setting{
		{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}, Value: 900},
		{Register: buffer.Register{Kind: buffer.GroupAlpha, Port: "Ethernet1/1", Index: 3}, Value: 1},
		{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/2", Index: 7}, Value: 1},
		{Register: buffer.Register{Kind: buffer.QueueWeight, Port: "Ethernet1/1", Index: 3}, Value: buffer.Strict},
		{Register: buffer.Register{Kind: buffer.QueueWeight, Port: "Ethernet1/2", Index: 6}, Value: 7},
		{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: "Ethernet1/1", Index: 3}, Value: 1 << 26},
		{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: "Ethernet1/2", Index: 6}, Value: -1 << 63},
	})
	if !sizes {
		before = before.Only(func(r buffer.Register) bool { return r.Kind != buffer.GroupReserved })
	}
	_, err := backend.Converge(t.Context(), l.client, before, backend.Options{})
	require.NoError(t, err)
	l.calls = nil
	return l, before, want
}

// ignore takes the extensions off: the switch answers OK and does nothing special.
func ignore(l *lab) {
	l.mu.Lock()
	defer l.mu.Unlock()
	hook := l.hook
	l.hook = func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if set, ok := req.(*gpb.SetRequest); ok {
			set.Extension = nil
		}
		return hook(ctx, req, info, next)
	}
}

// requireNoCommit asks the switch to cancel one: it says that none waits.
func requireNoCommit(t *testing.T, l *lab) {
	t.Helper()
	_, err := gpb.NewGNMIClient(l.conn).Set(t.Context(),
		&gpb.SetRequest{Extension: []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Commit{
			Commit: &gnmi_ext.Commit{Id: "x", Action: &gnmi_ext.Commit_Cancel{Cancel: &gnmi_ext.CommitCancel{}}}}}}},
		grpc.WaitForReady(true))
	require.ErrorContains(t, err, "no commit waits")
}

// TestRestart has the switch restart when it has made the first change: with its registers, as one whose software
// restarts, or without. Either way it knows no commit any more.
func TestRestart(t *testing.T) {
	effort.SkipFew(t, "it restarts a switch in each state")
	for i, keeps := range []bool{true, false} {
		for k, mode := range slices.Sorted(maps.Keys(modes)) {
			if !effort.Some(i+k, 2) { // each mode, with its registers or without
				continue
			}
			opt := modes[mode]
			t.Run(fmt.Sprintf("keeps its registers %v/%s", keeps, mode), func(t *testing.T) {
				l, before, want := misbehaving(t, true)
				var again *server.Server
				n := 0
				l.hook = func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
					set, is := req.(*gpb.SetRequest)
					if is && opt.Target == ignorant {
						set.Extension = nil
					}
					if again != nil {
						return route(ctx, again, req)
					}
					answer, err := next(ctx, req)
					if is && changes(set) {
						if n++; n == 1 {
							again = restarted(t, l, keeps)
							l.redirect(again)
							return nil, status.Error(codes.Unavailable, "restarting")
						}
					}
					return answer, err
				}
				report, err := backend.Converge(t.Context(), l.with(t, opt), want, backend.Options{})
				t.Logf("%s: %v", report.State, err)
				have, look := l.asic.Observe(t.Context())
				require.NoError(t, look)
				if report.State == backend.Applied {
					require.NoError(t, err)
					require.Equal(t, carried(want), have)
					return
				}
				require.Error(t, err)
				if !keeps { // what is gone was not this push's doing: it is named, and left
					require.Equal(t, backend.Partial, report.State)
					require.Equal(t, buffer.Diff(have, before), report.Others)
					return
				}
				require.Contains(t, asBefore, report.State)
				require.Equal(t, before, have)
			})
		}
	}
}

// restarted is the switch's software anew.
func restarted(t *testing.T, l *lab, keeps bool) *server.Server {
	if !keeps {
		var err error
		l.asic, err = sim.New(chip(20000))
		require.NoError(t, err)
	}
	s, err := server.New(l.asic, cell, server.Options{})
	require.NoError(t, err)
	return s
}

func route(ctx context.Context, s *server.Server, req any) (any, error) {
	switch req := req.(type) {
	case *gpb.SetRequest:
		return s.Set(ctx, req)
	case *gpb.GetRequest:
		return s.Get(ctx, req)
	default:
		return s.Capabilities(ctx, req.(*gpb.CapabilityRequest))
	}
}
