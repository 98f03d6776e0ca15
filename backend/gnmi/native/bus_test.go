package native_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/unit"
)

// bus is a SONiC switch whose host service does not answer the first Set, and a client that has waited n times when the
// service ends it; 0: it does not while the client waits.
func bus(t *testing.T, fault func(*sonicfake.Arrived) error, n int) (*sonicfake.Switch, *gnmi.Client) {
	t.Helper()
	s := sonicfake.New(shipped())
	s.ASIC, s.Version, s.Fault = "th", "SONiC.20251110.1", first(fault)
	waited := 0
	return s, dialled(t, s, gnmi.Options{Retry: gnmi.Retry{Wait: func(context.Context, time.Duration) error {
		if waited++; waited == n {
			return s.Finish()
		}
		return nil
	}}})
}

// A patch that the host service has not ended when sonic-gnmi answers, or whose reply the bus has lost, is not refused:
// it may come later. It is waited for; what was not seen by then is unknown.
func TestSONiCAnswersBeforeThePatchEnds(t *testing.T) {
	for name, fault := range map[string]func(*sonicfake.Arrived) error{
		"timeout": (*sonicfake.Arrived).PatchTimesOut, "lost reply": (*sonicfake.Arrived).ReplyIsLost} {
		t.Run(name, func(t *testing.T) {
			s, client := bus(t, fault, 3)
			p, err := push(t, client, language(t, 40*unit.Metre))
			require.NoError(t, err)
			require.Equal(t, backend.Applied, p.Report.State)
			require.Equal(t, 1, s.Sets())
			require.True(t, client.Unsaved(), "sonic-gnmi saves after an answer alone")
			require.NotEqual(t, s.Config(), s.Saved())

			s, client = bus(t, fault, 0)
			p, err = push(t, client, language(t, 40*unit.Metre))
			require.ErrorIs(t, err, backend.ErrUnanswered)
			require.Equal(t, backend.Unknown, p.Report.State)
			require.Equal(t, backend.HasBefore, p.Report.Has)
			require.Equal(t, 1, s.Sets(), "it is not sent again")
			before := s.Config()
			require.NoError(t, s.Finish())
			require.NotEqual(t, before, s.Config(), "it has come")
		})
	}
}

// A saving that takes too long comes after a whole patch: the plan is on the switch, and is not taken back. One that
// answers later saves all.
func TestSONiCDoesNotSave(t *testing.T) {
	s, client := bus(t, (*sonicfake.Arrived).SaveTimesOut, 0)
	p, err := push(t, client, language(t, 40*unit.Metre))
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	require.Equal(t, 1, s.Sets())
	require.True(t, client.Unsaved())
	require.NotEqual(t, s.Config(), s.Saved())
	_, err = push(t, client, language(t, 300*unit.Metre))
	require.NoError(t, err)
	require.False(t, client.Unsaved())
	require.Equal(t, s.Config(), s.Saved())
}

// A checkpoint that takes too long comes before the patch: nothing was changed.
func TestSONiCMakesNoCheckpoint(t *testing.T) {
	s, client := bus(t, (*sonicfake.Arrived).CheckpointTimesOut, 0)
	p, err := push(t, client, language(t, 40*unit.Metre))
	require.ErrorContains(t, err, "Timeout 60")
	require.Equal(t, backend.Refused, p.Report.State)
	require.False(t, client.Unsaved())
	require.Equal(t, s.Saved(), s.Config())
}

// A checkpoint that was left behind is not read: neither by a push, nor by drift, nor by what resumes a push, nor to
// know the switch. That it stands in the way of others is said.
func TestSONiCCheckpoint(t *testing.T) {
	s, client := bus(t, (*sonicfake.Arrived).KeepsCheckpoint, 0)
	s.Checkpoint()
	l := language(t, 40*unit.Metre)
	p, err := push(t, client, l)
	require.NoError(t, err)
	require.Equal(t, backend.Applied, p.Report.State)
	require.NotContains(t, strings.Join(p.Report.Rendering.Notes, " "), "checkpoint", "it is what the switch holds")

	compared := &native.Comparison{Client: client, Language: l}
	found, err := compared.Compare(t.Context())
	require.NoError(t, err)
	require.Empty(t, found.Differences)
	require.Contains(t, compared.Push.Report.Checkpoint, "a checkpoint stands in the way of other "+
		"clients: for the origin sonic-db the switch answers BUFFER_PROFILE from /etc/sonic/config.cp.json")

	db := s.Config()
	db["PORT"]["Ethernet8"] = map[string]string{"speed": "100000"}
	s.Load(db)
	require.Equal(t, []string{"Ethernet0", "Ethernet4", "Ethernet8"}, native.Identify(t.Context(), client,
		&gnmi.ProbeResult{Profile: sonicProfile(t)}).Ports)
}

func sonicProfile(t *testing.T) *nos.Profile {
	t.Helper()
	p, err := registry.LoadProfile("sonic")
	require.NoError(t, err)
	return p
}
