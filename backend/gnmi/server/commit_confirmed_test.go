package server_test

import (
	"errors"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
)

// with adds a commit extension to a Set.
func with(req *gpb.SetRequest, c *gnmi_ext.Commit) *gpb.SetRequest {
	req.Extension = append(req.Extension, &gnmi_ext.Extension{Ext: &gnmi_ext.Extension_Commit{Commit: c}})
	return req
}

func begin(id string, d *durationpb.Duration) *gnmi_ext.Commit {
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Commit{Commit: &gnmi_ext.CommitRequest{RollbackDuration: d}}}
}

func confirm(id string) *gpb.SetRequest {
	return with(&gpb.SetRequest{}, &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Confirm{}})
}

func cancel(id string) *gpb.SetRequest {
	return with(&gpb.SetRequest{}, &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Cancel{}})
}

func prolong(id string, d *durationpb.Duration) *gpb.SetRequest {
	return with(&gpb.SetRequest{}, &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_SetRollbackDuration{
		SetRollbackDuration: &gnmi_ext.CommitSetRollbackDuration{RollbackDuration: d}}})
}

// committing is a switch in which a Set of 2080 bytes waits to be confirmed.
type committing struct {
	*testing.T
	*server.Server
	asic   *sim.ASIC
	clock  *hand
	before string
}

func committed(t *testing.T, wait *durationpb.Duration) committing {
	_, asic := planned(t)
	clock := newHand()
	s, err := server.New(asic, 208, server.Options{Clock: clock})
	require.NoError(t, err)
	c := committing{t, s, asic, clock, get(t, s, "/qos", gpb.GetRequest_ALL)}
	c.set(codes.OK, with(update(t, reserved(t, s), ietf(`"2080"`)), begin("one", wait)))
	c.holds("10 cells")
	return c
}

// reserved is the path of dedicated-buffer in a configuration that was made of registers.
func reserved(t *testing.T, s *server.Server) string {
	a, err := s.Get(t.Context(), &gpb.GetRequest{Path: []*gpb.Path{path(t, "/.../config/dedicated-buffer")}})
	require.NoError(t, err)
	return text(t, a.GetNotification()[0].GetUpdate()[0].GetPath())
}

func (c committing) set(code codes.Code, req *gpb.SetRequest) {
	c.Helper()
	_, err := c.Set(c.Context(), req)
	require.Equal(c, code, status.Code(err), "%v", err)
}

func (c committing) holds(cells string) {
	c.Helper()
	require.Contains(c, c.asic.String(), "Ethernet1/1 group 3 reserved "+cells)
}

func TestCommitIsConfirmed(t *testing.T) {
	c := committed(t, nil)
	c.clock.advance(10*time.Minute - 1)
	c.set(codes.OK, confirm("one"))
	c.clock.advance(time.Hour)
	c.holds("10 cells")
	c.set(codes.FailedPrecondition, confirm("one"))
	c.set(codes.OK, update(t, reserved(t, c.Server), ietf(`"208"`)))
}

func TestCommitIsRolledBackWhenTheTimeRunsOut(t *testing.T) {
	for _, test := range []struct {
		given *durationpb.Duration
		wait  time.Duration
	}{{nil, 10 * time.Minute}, {durationpb.New(5 * time.Second), 5 * time.Second}} {
		c := committed(t, test.given)
		c.clock.advance(test.wait - 1)
		c.holds("10 cells")
		c.clock.advance(1)
		c.holds("5 cells")
		require.Equal(t, c.before, get(t, c.Server, "/qos", gpb.GetRequest_ALL))
		c.set(codes.FailedPrecondition, confirm("one"))
		c.set(codes.OK, with(&gpb.SetRequest{}, begin("one", nil)))
	}
}

func TestCommitIsCancelled(t *testing.T) {
	c := committed(t, nil)
	c.set(codes.OK, cancel("one"))
	c.holds("5 cells")
	require.Equal(t, c.before, get(t, c.Server, "/qos", gpb.GetRequest_ALL))
	c.set(codes.FailedPrecondition, cancel("one"))
}

func TestCommitIsProlonged(t *testing.T) {
	c := committed(t, durationpb.New(time.Minute))
	c.clock.advance(59 * time.Second)
	first := c.clock.waiting[0]
	c.set(codes.OK, prolong("one", durationpb.New(time.Hour)))
	first.ring() // it was under way already
	c.holds("10 cells")
	c.clock.advance(time.Hour - 1)
	c.holds("10 cells")
	c.clock.advance(1)
	c.holds("5 cells")
	c.set(codes.FailedPrecondition, prolong("one", durationpb.New(time.Hour)))
}

// Whatever is refused while a commit waits neither ends it nor changes it.
func TestWhileACommitWaits(t *testing.T) {
	for name, test := range map[string]struct {
		code codes.Code
		req  *gpb.SetRequest
	}{
		"a plain Set":                   {codes.FailedPrecondition, update(t, queueID, ietf(`1`))},
		"another commit":                {codes.FailedPrecondition, with(&gpb.SetRequest{}, begin("two", nil))},
		"the same commit":               {codes.FailedPrecondition, with(&gpb.SetRequest{}, begin("one", nil))},
		"confirm of another":            {codes.InvalidArgument, confirm("two")},
		"cancel of another":             {codes.InvalidArgument, cancel("two")},
		"prolonging another":            {codes.InvalidArgument, prolong("two", durationpb.New(time.Hour))},
		"prolonging by nothing":         {codes.InvalidArgument, prolong("one", nil)},
		"prolonging by zero":            {codes.InvalidArgument, prolong("one", durationpb.New(0))},
		"prolonging by less than zero":  {codes.InvalidArgument, prolong("one", durationpb.New(-1))},
		"prolonging by what is no time": {codes.InvalidArgument, prolong("one", &durationpb.Duration{Seconds: 1, Nanos: -1})},
		"confirm without id":            {codes.InvalidArgument, confirm("")},
		"no action":                     {codes.InvalidArgument, with(&gpb.SetRequest{}, &gnmi_ext.Commit{Id: "one"})},
		"confirm with an operation": {codes.InvalidArgument,
			with(update(t, queueID, ietf(`1`)), confirm("one").GetExtension()[0].GetCommit())},
		"two extensions": {codes.InvalidArgument, with(confirm("one"), begin("two", nil))},
	} {
		t.Run(name, func(t *testing.T) {
			c := committed(t, nil)
			tree := get(t, c.Server, "/", gpb.GetRequest_ALL)
			c.set(test.code, test.req)
			require.Equal(t, tree, get(t, c.Server, "/", gpb.GetRequest_ALL))
			c.clock.advance(10*time.Minute - 1)
			c.holds("10 cells")
			c.clock.advance(1)
			c.holds("5 cells")
		})
	}
}

// A commit that is refused does not wait.
func TestCommitThatIsRefused(t *testing.T) {
	s, _ := planned(t)
	for code, req := range map[codes.Code]*gpb.SetRequest{
		codes.ResourceExhausted: with(update(t, dedicated, ietf(`"208000"`)), begin("one", nil)),
		codes.InvalidArgument:   with(update(t, dedicated, ietf(`"208"`)), begin("one", durationpb.New(0))),
	} {
		_, err := s.Set(t.Context(), req)
		require.Equal(t, code, status.Code(err), "%v", err)
	}
	_, err := s.Set(t.Context(), update(t, queueID, ietf(`1`)))
	require.NoError(t, err)
}

// A device that does not let itself be rolled back is asked again, and nobody can confirm meanwhile what ran out.
func TestRollbackFails(t *testing.T) {
	_, asic := planned(t)
	clock, device := newHand(), &broken{ASIC: asic}
	s, err := server.New(device, 208, server.Options{Clock: clock})
	require.NoError(t, err)
	c := committing{T: t, Server: s, asic: asic, clock: clock}
	c.set(codes.OK, with(update(t, reserved(t, s), ietf(`"2080"`)), begin("one", nil)))
	device.err = errors.New("the bus is dead")
	clock.advance(10 * time.Minute)
	c.holds("10 cells")
	c.set(codes.FailedPrecondition, confirm("one"))
	c.set(codes.FailedPrecondition, update(t, queueID, ietf(`1`)))
	c.set(codes.Aborted, cancel("one"))
	device.err = nil
	clock.advance(10 * time.Second)
	c.holds("5 cells")
	c.set(codes.FailedPrecondition, cancel("one"))
}
