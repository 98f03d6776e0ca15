// Package traffic serves a switch over gNMI while simulated packets run through it: a controller that reads counters
// and writes registers sees the effect of its writes on the traffic.
//
//	asic, err := s.Attach("s1") // s is a scenario
//	sw, err := traffic.New(asic, s.Until, server.Options{})
//	done, err := sw.Advance(ctx, 50*unit.Microsecond)
//
// Nothing moves by itself. [Switch.Advance] lets model time pass, in steps so short that requests are answered between
// them. [Switch.Pace] does so at every tick of a clock that the caller gives, so that tests need no clock. Packets
// never move during a Get, a Set or a sample, and a Set takes effect with the next frame. After the end of the
// simulation the counters stay, and registers can still be written.
//
// The package connects package sim and package server, which do not import each other.
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
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// Switch is a gNMI switch through which packets run. Its methods are safe for concurrent use.
type Switch struct {
	*server.Server

	sim   *fabric.Sim
	until unit.Time
	now   atomic.Int64 // model time: that of sim may be read only with the device
}

// New serves an ASIC that is attached to a simulation. No one else may advance the
// simulation from now on. The counters of the options are replaced by those of the
// simulation. until is the model time at which the simulation ends; 0: never.
//
// New refuses an ASIC that is not attached, and one whose registers have values that OpenConfig cannot express.
func New(asic *sim.ASIC, until unit.Time, opt server.Options) (*Switch, error) {
	t, attached := asic.Traffic()
	switch {
	case !attached:
		return nil, errors.New("the ASIC has no traffic: want an ASIC that is attached to a simulation")
	case until < 0:
		return nil, fmt.Errorf("until %v: want 0ps for no end, or more", until)
	}
	s := &Switch{sim: t.Sim, until: until}
	s.now.Store(int64(t.Sim.Now()))
	opt.Counters = counters{asic, t.Ports}
	size := asic.Chip().Cell
	gnmiServer, err := server.New(asic, size, opt)
	if err != nil {
		return nil, err
	}
	s.Server = gnmiServer
	have, err := asic.Observe(context.Background())
	if err != nil {
		return nil, err
	}
	have = have.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) })
	if _, err := qos.Encode(have, size); err != nil {
		return nil, err
	}
	return s, nil
}

// slice is the longest model time without an answer to a request. At 100 Gb/s it is the
// time of 120 frames of 1000 bytes on each port.
const slice = 10 * unit.Microsecond

// reportEvery is the model time between two reports to subscribers. A report reads the
// whole switch, which takes longer than a slice.
const reportEvery = 10 * slice

// Advance lets this much model time pass, or the rest of the simulation; done tells that it is over. Subscribers get
// what has changed. The error is the context's, and part of the time has passed then.
func (s *Switch) Advance(ctx context.Context, by unit.Time) (done bool, err error) {
	defer s.Changed()
	begin := s.Now()
	end := begin + min(by, math.MaxInt64-begin)
	for reported := begin; ; {
		if err := s.Do(ctx, func() { done = s.step(end) }); err != nil || done || s.Now() >= end {
			return done, err
		}
		if s.Now() >= reported+reportEvery {
			reported = s.Now()
			s.Changed()
		}
	}
}

// step lets a slice pass, but not beyond end. It returns true at the end of the simulation.
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

// Now returns the model time.
func (s *Switch) Now() unit.Time { return unit.Time(s.now.Load()) }

// Pace lets this much model time pass at every tick, until the simulation or the context ends. A simulation that is
// slower than its ticks skips ticks, as a time.Ticker does. The error is the context's.
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

// counters are the counters of the ports through which packets run: of eight groups and
// eight egress queues each. The server reads them while nothing else uses the device.
//
// The packets that a group has transmitted are those that it admitted. Bytes count from
// the destination address to the FCS. A watermark is the greatest number of cells that
// were held at one time, of all slices and accounts: reserved, shared and headroom.
type counters struct {
	asic  *sim.ASIC
	ports []string
}

// Count reads the counters of the simulation.
func (c counters) Count(context.Context) (server.Counts, error) {
	var out server.Counts
	for _, name := range c.ports {
		port, _ := c.asic.Counters(name)
		out.Ports = append(out.Ports, server.PortCount{Port: name,
			PauseIn: uint64(port.PauseFramesIn), PauseOut: uint64(port.PauseFramesOut)})
		for n := range pg.PerPort {
			group, _ := c.asic.Group(name, n)
			queue, _ := c.asic.Queue(name, n)
			out.Queues = append(out.Queues,
				queueCount(name, n, true, group.Tally), queueCount(name, n, false, queue.Tally))
		}
	}
	return out, nil
}

// queueCount is a tally of the simulation in the server's form.
func queueCount(port string, queue int, input bool, t fabric.Tally) server.QueueCount {
	return server.QueueCount{Port: port, Queue: queue, Input: input,
		Sent: uint64(t.Passed), SentBytes: uint64(t.PassedBytes),
		Dropped: uint64(t.Dropped), DroppedBytes: uint64(t.DroppedBytes),
		Marked: uint64(t.Marked), MarkedBytes: uint64(t.MarkedBytes), Watermark: t.Peak}
}
