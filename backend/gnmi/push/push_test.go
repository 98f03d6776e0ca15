package push_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/report"
)

// switched is a plan and a simulated switch of its own for it.
func switched(t *testing.T) (nos.Plan, push.Target) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	p, err := plan("5m")
	require.NoError(t, err)
	address, stop, err := serve(p)
	require.NoError(t, err)
	t.Cleanup(stop)
	return p, push.Target{Address: address}
}

func options() push.Options { return push.Options{Connection: gnmi.Options{Insecure: true}} }

// A change that may stop more traffic than is allowed is refused; what the switch has already disturbs nobody.
func TestAllowed(t *testing.T) {
	step := buffer.Step{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}, To: 6}
	r := &push.Result{Changes: []push.Change{{Step: step, Reach: buffer.DisruptsPort}}}
	err := r.Allowed(buffer.DisruptsNothing)
	require.EqualError(t, err, "nothing was sent: Ethernet1/1 group 3 reserved 0 cells -> 6 cells may stop the traffic "+
		"of: port; allowed: none")
	var stops *push.DisruptionError
	require.ErrorAs(t, err, &stops)
	require.NoError(t, r.Allowed(buffer.DisruptsPort))
	require.NoError(t, (&push.Result{}).Allowed(buffer.DisruptsNothing))
	r = &push.Result{Changes: []push.Change{{Path: "/qos/x", To: "1", Reach: buffer.DisruptsSwitch}}}
	require.EqualError(t, r.Allowed(buffer.DisruptsPort), "nothing was sent: /qos/x from - to 1 may stop the traffic of: "+
		"switch; allowed: port")
}

// A push has the lock of its switch, a dry run needs none, and an address that is none is no device.
func TestLock(t *testing.T) {
	p, to := switched(t)
	lock, err := journal.LockTarget(to.Address, time.Now())
	require.NoError(t, err)
	r, err := push.Apply(t.Context(), to, p, options())
	var held *journal.HeldError
	require.ErrorAs(t, err, &held)
	require.Nil(t, r)
	dry := options()
	dry.DryRun = true
	r, err = push.Apply(t.Context(), to, p, dry)
	require.NoError(t, err)
	require.Equal(t, backend.Unchanged, r.State)
	require.NotEmpty(t, r.Changes)
	lock.Release()
	r, err = push.Apply(t.Context(), to, p, options())
	require.NoError(t, err)
	require.Equal(t, backend.Applied, r.State)
	r, err = push.Apply(t.Context(), push.Target{Address: "a@b"}, p, options())
	require.Error(t, err)
	require.Nil(t, r)
}

// A push that is stopped before its Set has a journal, which Resume follows and undoes.
func TestResume(t *testing.T) {
	p, to := switched(t)
	file := filepath.Join(t.TempDir(), "push.jsonl")
	opt := options()
	opt.Journal = file
	ctx, stop := context.WithCancel(t.Context())
	opt.JournalCreated = func(string) { stop() }
	r, err := push.Apply(ctx, to, p, opt)
	require.Error(t, err)
	require.Equal(t, file, r.Journal)
	again, err := push.Journals().ReadFile(file)
	require.NoError(t, err)
	for _, test := range []struct {
		undo    bool
		changes int
	}{{false, 10}, {true, 10}} {
		r, err = push.Resume(t.Context(), push.Target{}, again, push.ResumeOptions{Connection: options().Connection,
			Undo: test.undo})
		require.NoError(t, err)
		require.Equal(t, backend.Applied, r.State)
		require.Len(t, r.Changes, test.changes)
		require.Equal(t, test.undo, r.Document(nil).Undo)
		again, err = push.Journals().ReadFile(file)
		require.NoError(t, err)
	}
}

// A plan for another chip is refused, and one that the switch cannot express as a whole with Strict.
func TestRefused(t *testing.T) {
	p, to := switched(t)
	other := p
	other.Intent.Chip.Name = "tomahawk3"
	r, err := push.Apply(t.Context(), to, other, options())
	require.ErrorIs(t, err, backend.ErrIdentity)
	require.Equal(t, backend.Unchanged, r.State)
	_, err = push.Compare(t.Context(), to, other, options(), nil)
	require.ErrorIs(t, err, backend.ErrIdentity)
	rough, err := registry.LoadProfile("openconfig")
	require.NoError(t, err)
	opt := options()
	opt.Strict = true
	r, err = push.Describe(rough, p, opt)
	require.ErrorIs(t, err, backend.ErrGaps)
	require.Contains(t, err.Error(), r.Verdict)
	require.NotEmpty(t, r.Gaps)
}

// Documents are decoded as they were encoded: of registers, of native values, of a simulated ASIC, of a comparison.
func TestDocuments(t *testing.T) {
	p, to := switched(t)
	r, err := push.Apply(t.Context(), to, p, options())
	decoded(t, r, err)
	for _, name := range registry.ProfileNames() {
		as, err := registry.LoadProfile(name)
		require.NoError(t, err)
		r, err := push.Describe(as, p, options())
		decoded(t, r, err)
	}
	device, err := sim.New(p.Intent.Chip, sim.Ports(p.Intent)...)
	require.NoError(t, err)
	r, err = push.ToDevice(t.Context(), device, p, push.Options{Strict: true})
	require.NoError(t, err)
	require.True(t, r.Lossless)
	decoded(t, r, err)
	farther, err := plan("300m")
	require.NoError(t, err)
	for _, x := range []nos.Plan{p, farther} {
		found, err := push.Compare(t.Context(), to, x, options(), nil)
		require.NoError(t, err)
		require.Empty(t, found.Differences, "OpenConfig has no headroom")
		require.Equal(t, "cellwarden.drift/v1", found.Document().Schema)
	}
}

func decoded(t *testing.T, r *push.Result, err error) {
	t.Helper()
	text, bad := json.Marshal(r.Document(err))
	require.NoError(t, bad)
	var back report.ApplyDocument
	require.NoError(t, json.Unmarshal(text, &back))
	again, bad := json.Marshal(back)
	require.NoError(t, bad)
	require.JSONEq(t, string(text), string(again))
	require.Equal(t, len(r.Changes), len(back.Changes))
}
