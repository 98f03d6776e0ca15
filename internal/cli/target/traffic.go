package target

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/traffic"
	"github.com/cellwarden/cellwarden/unit"
)

// This file serves a switch of a scenario while the scenario's packets run through it.

// trafficFlags are the flags of the target command for traffic. file is the path of a scenario, empty for a bare ASIC;
// node is empty for the only switch that has a plan; pace is model time per second of the clock, with or without "/s".
type trafficFlags struct {
	file, node, pace string
}

// add adds the flags. The default pace is a thousandth of the clock's: a simulation of busy ports does not keep up with
// the clock.
func (f *trafficFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.file, "traffic", "", "scenario file whose packets run through the switch, in place of --chip")
	c.Flags().StringVar(&f.node, "switch", "", "name of the scenario's switch (default: the only one that has a plan)")
	c.Flags().StringVar(&f.pace, "pace", "1ms/s", "model time that passes per second, if the machine is fast enough")
}

// check refuses flags that contradict each other. --chip and --traffic exclude each other, and one of both is needed: a
// target without a chip has no cells.
func (f *trafficFlags) check(cmd *cobra.Command) error {
	set := cmd.Flags().Changed
	switch {
	case set("chip") == set("traffic"):
		return errors.New("want --chip, or --traffic with a plan that names the chip; one of them")
	case set("traffic") && set("ports"):
		return errors.New("--ports with --traffic (want --ports with --chip; the scenario's plan has its own ports)")
	case !set("traffic") && (set("switch") || set("pace")):
		return errors.New("--switch and --pace (want it with --traffic)")
	}
	return nil
}

// ticks is how often per second model time advances. At each tick the server reads the
// whole switch for its subscribers, which takes tens of milliseconds.
const ticks = 5

// each is the model time that passes at every tick. pace is the model time of a second of the clock, so a tick has a
// fifth of it.
func (f *trafficFlags) each() (unit.Time, error) {
	pace, err := unit.ParseTime(strings.TrimSuffix(f.pace, "/s"))
	// 1ns to 1s of model time a second. The upper bound is the speed of the clock, which a simulation of busy ports
	// does not reach.
	if err != nil || pace < unit.Nanosecond || pace > unit.Second {
		return 0, fmt.Errorf("--pace %q (want the model time of a second, 1ns/s to 1s/s, such as 1ms/s)", f.pace)
	}
	return pace / ticks, nil
}

// served builds the scenario's network and serves one of its switches. The scenario is read and its network made before
// anything listens, which takes seconds for a large one.
func (f *trafficFlags) served(cmd *cobra.Command, opt server.Options) (*served, error) {
	each, err := f.each()
	if err != nil {
		return nil, err
	}
	name, data, err := cli.ReadInput(cmd, f.file)
	if err != nil {
		return nil, err
	}
	s, err := scenario.ReadContext(cmd.Context(), name, data, cli.Beside(cmd, f.file, false), nil)
	if err != nil {
		return nil, err
	}
	asic, err := s.Attach(f.node)
	if err != nil {
		return nil, fmt.Errorf("--traffic %s, --switch %q: %w", f.file, f.node, err)
	}
	sw, err := traffic.New(asic, s.Until, opt)
	if err != nil {
		return nil, fmt.Errorf("--traffic %s: %w", f.file, err)
	}
	// Attach has put the traffic there. An empty --switch stands for the only one, and the line that is printed names
	// it.
	running, _ := asic.Traffic()
	what := fmt.Sprintf("; as switch %s of %q, %v at %s", s.Network.Switches[running.Node].Name, s.Name, s.Until,
		strings.TrimSuffix(f.pace, "/s")+"/s")
	return &served{sw.Server, asic.Name(), what, func(ctx context.Context) func() { return pace(ctx, sw, each, opt.Log) }},
		nil
}

// pace lets model time advance with the clock of the machine, until the context ends or
// the caller calls end. A machine that is too slow for the pace lets ticks pass: model time then falls behind, and no
// packet is left out.
func pace(ctx context.Context, sw *traffic.Switch, each unit.Time, log *slog.Logger) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	// The clock of the machine only sets the pace: what happens in model time is the same at every pace.
	clock := time.NewTicker(time.Second / ticks)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := sw.Pace(ctx, clock.C, each); err == nil {
			log.Info("the traffic is over; the counters stay", "at", sw.Now().String())
		}
	}()
	return func() {
		cancel()
		clock.Stop()
		// The traffic uses the switch until its goroutine has ended.
		<-done
	}
}
