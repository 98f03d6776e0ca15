package native_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	gnmipush "github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/unit"
)

// committing is a switch with Commit-confirmed, whose time never ends.
type committing struct {
	*tree
	waiting string // ID of the commit
	before  string // what the switch had before it
	actions []string
	fail    func() error // after a commit was made; nil: it does not fail
	gone    bool         // nobody reaches it
}

var errGone = status.Error(codes.Unavailable, "gone")

func (s *committing) Get(ctx context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	if s.gone {
		return nil, errGone
	}
	return s.tree.Get(ctx, req)
}

func (s *committing) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	if s.gone {
		return nil, errGone
	}
	if len(req.GetExtension()) == 0 {
		if s.waiting != "" {
			return nil, status.Error(codes.FailedPrecondition, "a commit waits")
		}
		return s.tree.Set(ctx, req)
	}
	commit := req.GetExtension()[0].GetCommit()
	other := commit.GetId() != s.waiting || s.waiting == ""
	switch commit.GetAction().(type) {
	case *gnmi_ext.Commit_Commit:
		if s.waiting != "" {
			return nil, status.Error(codes.FailedPrecondition, "a commit waits")
		}
		s.waiting, s.before = commit.GetId(), s.text()
		s.actions = append(s.actions, "commit")
		answer, err := s.tree.Set(ctx, req)
		if s.fail != nil {
			return nil, s.fail()
		}
		return answer, err
	case *gnmi_ext.Commit_Confirm:
		if s.waiting != "" && other {
			return nil, status.Error(codes.InvalidArgument, "another commit waits")
		}
		if other {
			return nil, status.Error(codes.FailedPrecondition, "no commit waits")
		}
		s.waiting, s.actions = "", append(s.actions, "confirm")
	case *gnmi_ext.Commit_Cancel:
		if other {
			return nil, status.Error(codes.FailedPrecondition, "no such commit waits")
		}
		s.waiting, s.actions = "", append(s.actions, "cancel")
		s.root = map[string]any{}
		if err := json.Unmarshal([]byte(s.before), &s.root); err != nil {
			return nil, err
		}
	}
	return &gpb.SetResponse{}, nil
}

// A push of native configuration is a commit, which is confirmed after it was read
// back, and which the switch undoes if the push fails.
func TestCommit(t *testing.T) {
	for name, c := range fixedDialects {
		t.Run(name, func(t *testing.T) {
			s := &committing{tree: &tree{module: c.module, origin: c.origin, root: map[string]any{}}}
			client := dialled(t, s, gnmi.Options{Rollback: time.Minute})
			language := &native.Fixed{Rendering: c.render(planned(t, 40*unit.Metre, c.ports...))}
			empty := s.text()
			s.fail = func() error { return errors.New("later") }
			p, err := push(t, client, language)
			require.ErrorContains(t, err, "later")
			require.Equal(t, backend.RolledBack, p.Report.State)
			require.Equal(t, []string{"commit", "cancel"}, s.actions)
			require.Equal(t, empty, s.text())

			s.fail, s.actions = nil, nil
			p, err = push(t, client, language)
			require.NoError(t, err)
			require.Equal(t, backend.Applied, p.Report.State)
			require.Equal(t, []string{"commit", "confirm"}, s.actions)
			require.Equal(t, "commit-confirmed works", known(client))
			require.Contains(t, s.text(), c.has)
		})
	}
}

// The answer to a commit is lost: the switch is read, and the commit is proved and confirmed all the same.
func TestCommitWhoseAnswerIsLost(t *testing.T) {
	s := &committing{tree: &tree{module: "openconfig-qos", origin: "openconfig", root: map[string]any{}}}
	s.fail = func() error { return errGone }
	client := dialled(t, s, gnmi.Options{Rollback: time.Minute})
	p, err := push(t, client, &native.Fixed{Rendering: eos.System.Render(planned(t, 40*unit.Metre, "Ethernet1/1"))})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	require.Equal(t, []string{"commit", "confirm"}, s.actions)
	require.Equal(t, "commit-confirmed works", known(client))
}

// A push is interrupted between its commit and the confirmation. The next push of the plan confirms that commit,
// because the journal proves whose it is; a push of another plan that the switch holds does not.
func TestCommitOfAnEarlierPush(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := &committing{tree: &tree{module: "openconfig-qos", origin: "openconfig", root: map[string]any{}}}
	to := gnmipush.Target{Address: strings.TrimPrefix(dialled(t, s, gnmi.Options{}).Name(), "gNMI target ")}
	plan := planned(t, 40*unit.Metre, "Ethernet1/1", "Ethernet2/1")
	profile, err := registry.LoadProfile("arista")
	require.NoError(t, err)
	opt := gnmipush.Options{Native: true, Disruption: buffer.DisruptsSwitch}
	opt.Connection = gnmi.Options{Insecure: true, Rollback: time.Minute, Profile: profile, SetTimeout: time.Second,
		Retry: gnmi.Retry{Attempts: 1, First: time.Millisecond}}
	s.fail = func() error { s.gone = true; return errGone }
	r, err := gnmipush.Apply(t.Context(), to, plan, opt)
	require.Error(t, err)
	require.Equal(t, backend.Unknown, r.State, err)
	file := r.Journal

	s.fail, s.gone = nil, false
	other := planned(t, 40*unit.Metre, "Ethernet1/1")
	r, err = gnmipush.Apply(t.Context(), to, other, opt)
	require.ErrorIs(t, err, backend.ErrCommitWaits, "%v", r.Changes)
	require.ErrorContains(t, err, file)
	require.Equal(t, []string{"commit"}, s.actions)

	r, err = gnmipush.Apply(t.Context(), to, plan, opt)
	require.NoError(t, err)
	require.Equal(t, backend.Applied, r.State)
	require.Contains(t, r.Commit, file)
	require.Empty(t, r.Changes)
	require.Equal(t, []string{"commit", "confirm"}, s.actions)
	again, err := gnmipush.Journals().ReadFile(file)
	require.NoError(t, err)
	require.False(t, again.Open())
}

// A switch that passes over the extension is sent no commits after the first.
func TestCommitThatIsPassedOver(t *testing.T) {
	s := &tree{module: "openconfig-qos", origin: "openconfig", root: map[string]any{}}
	client := dialled(t, s, gnmi.Options{Rollback: time.Minute})
	p, err := push(t, client, &native.Fixed{Rendering: eos.System.Render(planned(t, 40*unit.Metre, "Ethernet1/1"))})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	require.Contains(t, known(client), "the switch has no commit-confirmed, or ignores it")
	require.Empty(t, client.NextCommit())
}

// SONiC's server is known to pass over the extension: it is not sent.
func TestNoCommitOfSONiC(t *testing.T) {
	s := sonicfake.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	client := dialled(t, s, gnmi.Options{Rollback: time.Minute})
	_, err := client.Probe(t.Context())
	require.NoError(t, err)
	sent, _ := client.Commits()
	require.False(t, sent)
	p, err := push(t, client, language(t, 40*unit.Metre))
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	require.Equal(t, 1, s.Sets(), "no proof and no confirmation")
}

// known is what a client knows of the commits of its switch.
func known(c *gnmi.Client) string {
	_, known := c.Commits()
	return known
}
