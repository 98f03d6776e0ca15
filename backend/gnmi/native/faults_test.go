package native_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/unit"
)

// fault is how a switch misbehaves, and the state in which it is left.
type fault struct {
	name  string
	fault func(*sonicfake.Arrived) error
	state backend.State
	says  string
}

var faults = []fault{
	{"refuses", func(*sonicfake.Arrived) error { return errors.New("no such thing") }, backend.Refused, "no such thing"},
	{"errors but wrote", func(a *sonicfake.Arrived) error {
		if err := a.Make(); err != nil || a.N > 1 {
			return err
		}
		return errors.New("after applying patch to config, there are still some parts not updated")
	}, backend.RolledBack, "still some parts not updated"},
	{"says OK but did not", func(a *sonicfake.Arrived) error { return nil }, backend.Refused, "read back differs"},
	{"wrote half and says OK", first(func(a *sonicfake.Arrived) error { a.Half(); return nil }), backend.RolledBack,
		"read back differs"},
	{"wrote half and fails", first(func(a *sonicfake.Arrived) error { a.Half(); return errors.New("killed") }),
		backend.RolledBack, "killed"},
	{"wrote half and stays broken", func(a *sonicfake.Arrived) error {
		if a.N == 1 {
			a.Half()
		}
		return errors.New("read-only")
	}, backend.Partial, "without their previous values"},
	{"loses the answer", first(func(a *sonicfake.Arrived) error {
		_ = a.Make()
		return status.Error(codes.Unavailable, "gone")
	}), backend.Applied, ""},
	{"loses the request", first(func(a *sonicfake.Arrived) error { return status.Error(codes.Unavailable, "gone") }),
		backend.Applied, ""},
	{"hangs", func(a *sonicfake.Arrived) error {
		<-a.Context.Done()
		return status.FromContextError(
			a.Context.Err()).Err()
	}, backend.Unknown,
		"may still be working on a Set"},
	{"hangs after it wrote", first(func(a *sonicfake.Arrived) error {
		_ = a.Make()
		<-a.Context.Done()
		return status.FromContextError(a.Context.Err()).Err()
	}), backend.Applied, ""},
	{"hangs after half", first(func(a *sonicfake.Arrived) error {
		a.Half()
		<-a.Context.Done()
		return status.FromContextError(a.Context.Err()).Err()
	}),
		backend.Unknown, "may still be working on a Set"},
}

// first misbehaves once.
func first(f func(*sonicfake.Arrived) error) func(*sonicfake.Arrived) error {
	return func(a *sonicfake.Arrived) error {
		if a.N > 1 {
			return a.Make()
		}
		return f(a)
	}
}

// Whatever a switch does, the push ends with its true state.
func TestSONiCFaults(t *testing.T) {
	effort.SkipFew(t, "it waits for a switch that hangs")
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			s := sonicfake.New(shipped())
			s.ASIC, s.Version, s.Fault = "th", "SONiC.20251110.1", f.fault
			longest := time.Duration(0)
			if strings.HasPrefix(f.name, "hangs") {
				longest = time.Second
			}
			p, err := pushWithin(t, served(t, s, 0), language(t, 40*unit.Metre), longest)
			require.Equal(t, f.state, p.Report.State, "%v", err)
			now := s.Config()
			switch f.state {
			case backend.Applied:
				require.NoError(t, err)
				require.Equal(t, "3,4", now["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"])
			case backend.Partial:
				require.ErrorContains(t, err, f.says)
				require.NotEqual(t, shipped(), now)
				require.NotEmpty(t, p.Report.Differences)
			default:
				require.ErrorContains(t, err, f.says)
				require.Equal(t, shipped(), now, "as it was before")
			}
		})
	}
}

// What fails in the second Set, in which what is left over is deleted, undoes the first, too.
func TestSONiCFailsLate(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	client := served(t, s, 0)
	_, err := push(t, client, language(t, 40*unit.Metre))
	require.NoError(t, err)
	db := s.Config()
	db["BUFFER_PROFILE"]["CW_LOSSY_7_alpha0"] = map[string]string{"pool": "ingress_lossless_pool", "size": "7",
		"dynamic_th": "0"}
	s.Load(db)
	s.Fault = func(a *sonicfake.Arrived) error {
		if a.N == 3 {
			a.Half()
			_ = a.Make()
			return errors.New("too late")
		}
		return a.Make()
	}
	p, err := push(t, client, language(t, 300*unit.Metre))
	require.ErrorContains(t, err, "too late")
	require.Equal(t, backend.RolledBack, p.Report.State)
	require.Equal(t, db, s.Config())
	require.Equal(t, 5, s.Sets(), "two there and two back")

	s.Fault = nil
	p, err = push(t, client, language(t, 300*unit.Metre))
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	require.NotContains(t, s.Config()["BUFFER_PROFILE"], "CW_LOSSY_7_alpha0")
	require.Contains(t, s.Config()["BUFFER_PROFILE"], "pg_lossless_100000_40m_profile", "SONiC's own names are its own")
}

// A switch that dies in the middle is one whose state is not known.
func TestSONiCDies(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	server := grpc.NewServer()
	s.Fault = func(a *sonicfake.Arrived) error { go server.Stop(); <-a.Context.Done(); return a.Context.Err() }
	gpb.RegisterGNMIServer(server, s)
	client, err := gnmi.Dial(smallswitch.At(t, server),
		gnmi.Options{Cell: 208, Insecure: true, Timeout: 2 * time.Second,
			Retry: gnmi.Retry{Wait: func(context.Context, time.Duration) error { return nil }}})
	require.NoError(t, err)
	defer client.Close()
	p, err := push(t, client, language(t, 40*unit.Metre))
	require.ErrorContains(t, err, "cannot be read")
	require.Equal(t, backend.Unknown, p.Report.State)
}
