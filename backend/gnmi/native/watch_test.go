package native_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/native/sonictest"
	"github.com/cellwarden/cellwarden/unit"
)

// A SONiC switch reports that a table has changed, and is compared again.
func TestWatch(t *testing.T) {
	s := sonictest.New(shipped())
	s.ASIC, s.Version = "th", "SONiC.20251110.1"
	client := served(t, s, 0)
	l := language(t, 40*unit.Metre)
	_, err := push(t, client, l)
	require.NoError(t, err)
	differs, looks := errors.New("it differs"), 0
	err = native.Watch(t.Context(), client, l, func(ctx context.Context) error {
		p, err := native.Look(ctx, client, l)
		require.NoError(t, err)
		if len(p.Report.Changes) > 0 {
			require.Equal(t, []string{"CABLE_LENGTH/AZURE/Ethernet0"}, changed(p))
			return differs
		}
		looks++
		db := s.Config()
		db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "5m"
		s.Load(db)
		return nil
	}, func(err error) { t.Error(err) })
	require.ErrorIs(t, err, differs)
	require.Equal(t, 1, looks)
}
