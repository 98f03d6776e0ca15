//go:build unix && !solaris && !aix

package journal_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/journal"
)

// A device has one push of this machine at a time, and the next is told which process it is.
func TestLockTarget(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	first, err := journal.LockTarget("leaf1:9339", now)
	require.NoError(t, err)
	_, err = journal.LockTarget("LEAF1:9339", now)
	var held *journal.HeldError
	require.ErrorAs(t, err, &held)
	require.Equal(t, os.Getpid(), held.Holder.PID)
	require.ErrorContains(t, err, "another process is pushing to LEAF1:9339: process ")
	require.ErrorContains(t, err, "since 2026-11-22 12:00:00Z")
	other, err := journal.LockTarget("leaf1/9339", now)
	require.NoError(t, err, "another device with the same name of a file")
	other.Release()
	first.Release()
	again, err := journal.LockTarget("leaf1:9339", now)
	require.NoError(t, err)
	again.Release()
	(*journal.Lock)(nil).Release()
}

// Without a directory there is no lock, and the error is another one.
func TestNoPlaceForTheLock(t *testing.T) {
	file := t.TempDir() + "/file"
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("XDG_STATE_HOME", file)
	_, err := journal.LockTarget("leaf1:9339", time.Now())
	require.Error(t, err)
	require.NotErrorAs(t, err, new(*journal.HeldError))
}
