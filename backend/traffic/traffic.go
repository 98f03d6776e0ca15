// Package traffic serves a switch over gNMI while simulated packets run through
// it: a controller that reads counters and writes registers sees what its writes
// do to the traffic.
//
//	asic, err := s.Attach("s1") // of a scenario
//	sw, err := traffic.New(asic, s.Until, server.Options{})
//	sw.Register(grpcServer)
//	sw.Advance(ctx, unit.Millisecond)
//
// Nothing happens by itself. [Switch.Advance] lets model time pass, in slices
// short enough for requests to come in between; [Switch.Pace] does that at every
// tick of a clock that is the caller's, so that a test needs none. A Get, a Set
// or a sample never sees packets move, and a Set is in force from the next frame
// on. When the simulation is over the counters stay, and registers may still be
// written.
//
// It stands between package sim and package server, which know nothing of each
// other.
package traffic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// Switch is a gNMI switch through which packets run. Its methods are safe for
// concurrent use.
type Switch struct {
	*server.Server

	sim   *fabric.Sim
	until unit.Time
	now   atomic.Int64 // model time; the simulation's own is for who has the device
}

// New serves an ASIC that is attached to a simulation, which nobody else
// advances from now on. It has the options' counters replaced by those of the
// simulation. Until is the model time at which the simulation is over; 0: never.
//
// An ASIC that is not attached is refused, and so is one whose registers
// OpenConfig cannot carry.
func New(asic *sim.ASIC, until unit.Time, opt server.Options) (*Switch, error) {
	t, attached := asic.Traffic()
	switch {
	case !attached:
		return nil, errors.New("no packets run through the ASIC: accepted: one that is attached to a simulation")
	case until < 0:
		return nil, fmt.Errorf("until %v: accepted: 0ps for no end, or more", until)
	}
	s := &Switch{sim: t.Sim, until: until}
	s.now.Store(int64(t.Sim.Now()))
	opt.Counters = counters{asic, t.Ports}
	size := asic.Chip().Cell
	gnmiServer, err := server.NewWith(asic, size, opt)
	if err != nil {
		return nil, err
	}
	s.Server = gnmiServer
	have, err := asic.Observe(context.Background())
	if err != nil {
		return nil, err
	}
	if _, err := qos.Encode(have.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) }), size); err != nil {
		return nil, err
	}
	return s, nil
}

// slice is the longest model time in which no request gets a turn. At 100 Gb/s
// that is 120 frames of 1000 bytes on each port.
const slice = 10 * unit.Microsecond

// tell is how often subscribers are told to look while time passes: to be told is
// to read the whole switch, which takes longer than a slice.
const tell = 10 * slice

// Advance lets so much model time pass, or what is left until the simulation is
// over, which done tells. Subscribers are told of what has changed. The error is
// the context's: some of the time has passed then.
func (s *Switch) Advance(ctx context.Context, by unit.Time) (done bool, err error) {
	defer s.Changed()
	begin := s.Now()
	end := begin + min(by, math.MaxInt64-begin)
	for told := begin; ; {
		if err := s.Do(ctx, func() { done = s.step(end) }); err != nil || done || s.Now() >= end {
			return done, err
		}
		if s.Now() >= told+tell {
			told = s.Now()
			s.Changed()
		}
	}
}

// step lets a slice pass, but not beyond a time; true when the simulation is
// over.
func (s *Switch) step(end unit.Time) (done bool) {
	if s.until > 0 {
		end = min(end, s.until)
	}
	if now := s.sim.Now(); now < end {
		s.sim.Advance(min(now+slice, end))
	}
	s.now.Store(int64(s.sim.Now()))
	return s.until > 0 && s.sim.Now() >= s.until
}

// Now is how much model time has passed.
func (s *Switch) Now() unit.Time { return unit.Time(s.now.Load()) }

// Pace lets so much model time pass at every tick until the simulation is over
// or the context is. A simulation that is slower than its ticks falls behind
// and does not make up for it, as a time.Ticker does not. The error is the
// context's.
func (s *Switch) Pace(ctx context.Context, ticks <-chan time.Time, each unit.Time) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks:
		}
		if done, err := s.Advance(ctx, each); done || err != nil {
			return err
		}
	}
}
