package web

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/answers"
)

// worker is a server with so many workers.
func worker(n int) *server {
	s := &server{meter: newMeter()}
	s.Workers = n
	s.makeSlots()
	return s
}

// work runs a piece of work that does not take long.
func (s *server) work(ctx context.Context, do func() error) error { return s.workOn(ctx, false, do) }

// A fault of the program is the error of its request alone, and is logged.
func TestFaultsDoNotEndTheServer(t *testing.T) {
	s, logged := worker(1), ""
	s.Log = func(text string) { logged += text }
	for range 3 { // the worker is free again each time
		require.ErrorIs(t, s.work(t.Context(), func() error { panic("a fault") }), answers.ErrFault)
	}
	require.Contains(t, logged, "a fault")
	mine := errors.New("mine")
	require.ErrorIs(t, s.work(t.Context(), func() error { return mine }), mine)
}

// A request whose time is over is given up. Its work keeps the worker until it ends, so no more than the workers run.
func TestBusyServer(t *testing.T) {
	s := worker(1)
	ctx, stop := context.WithCancel(t.Context())
	started, end := make(chan struct{}), make(chan struct{})
	given := make(chan error)
	go func() {
		given <- s.work(ctx, func() error { close(started); <-end; return nil })
	}()
	<-started
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.work(over, func() error { return nil }), answers.ErrBusy, "no worker is free")
	stop()
	require.ErrorIs(t, <-given, answers.ErrBusy)
	require.ErrorIs(t, s.work(over, func() error { return nil }), answers.ErrBusy, "the work goes on")
	close(end)
	require.NoError(t, s.work(t.Context(), func() error { return nil }))
	for range 50 { // a worker is free, and the time is over: nothing is begun
		require.ErrorIs(t, s.work(over, func() error { t.Error("begun"); return nil }), answers.ErrBusy)
	}
}
