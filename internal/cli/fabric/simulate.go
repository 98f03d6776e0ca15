package fabric

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file runs a circle in the simulator, and writes it as a scenario.

// simulation are the flags of the run of a circle. until is up to 1 s, and 0 runs nothing;
// write is the path of the scenario, empty for none.
type simulation struct {
	until unit.Time
	write string
}

// flags adds the flags. --force is that of the scenario, which replaces no file without it.
func (s *simulation) flags(c *cobra.Command) {
	cli.TypedFlag(c.Flags(), &s.until, "simulate", "5ms", func(text string) (unit.Time, error) {
		until, err := unit.ParseTime(text)
		if err != nil || until < 0 || until > unit.Second {
			return 0, fmt.Errorf("%s (want a time up to 1s, such as 5ms)", fielderr.Quote(text))
		}
		return until, nil
	}, "how long the circle is run in the simulator; 0ms: not")
	c.Flags().StringVar(&s.write, "scenario", "", "write the circle as a scenario of the verb sim")
	cli.ForceFlag(c)
}

// circle runs the first circle of an answer, notes in the answer what became of it, and writes the scenario. The
// result does not change the verdict: a run that locks shows the lock, and one that does not proves nothing.
func (s *simulation) circle(cmd *cobra.Command, f *fabric.File, d *report.FabricDocument) error {
	// The error says which circle the simulator cannot run: one over several priorities, of flooded frames, or of a way
	// that passes a switch twice. It is also that there is no circle.
	data, err := f.Scenario(d)
	if err != nil {
		// The scenario was asked for, so that there is none is an error, also if there is no circle. Otherwise the answer
		// says why the circle was not run.
		if s.write != "" {
			return cli.BadUsage("--scenario: %w", err)
		}
		// The first circle is the one that Scenario has refused; for an answer without a circle nothing is noted.
		if p := d.Circle(); p != nil {
			p.NotSimulated = err.Error()
		}
		return nil
	}
	// The file is there before the run, which can be interrupted.
	if s.write != "" {
		if err := cli.Store(cmd, s.write, data); err != nil {
			return cli.Failure(err)
		}
	}
	if s.until == 0 {
		return nil
	}
	// The scenario is our own text: an error here is a fault of the program, or an interruption, and none of the input.
	run, err := scenario.ReadContext(cmd.Context(), "circle", data, nil, nil)
	var r *scenario.Result
	// --simulate takes the place of the end that the scenario has, so that it is not in the file of --scenario.
	if err == nil {
		r, err = run.Run(cmd.Context(), scenario.Options{Until: s.until})
	}
	// A run that was cut ended before --simulate: that it did not lock so far would be said of too long a time.
	if err == nil && r.Cut {
		err = cmd.Context().Err()
	}
	if err != nil {
		return cli.Failure(fmt.Errorf("the scenario of the circle: %w", err))
	}
	// Scenario has taken the first priority with a circle, so the result is noted there. Times are picoseconds.
	out := unnamed.New(&d.Circle().Simulated)
	// Locked is of the end of the run: queues wait for each other in a circle then.
	out.Flows, out.Until, out.Locked = len(run.Network.Flows), int64(s.until), r.InDeadlock
	out.LastDelivery = int64(r.Summary.LastDelivery)
	return nil
}

// simulated says what became of the circle in the simulator. Only the first circle is run. Empty: there is no circle,
// or
// --simulate 0ms.
func simulated(d *report.FabricDocument) string {
	p := d.Circle()
	switch {
	case p == nil:
		return ""
	case p.NotSimulated != "":
		return "simulated not: " + p.NotSimulated
	case p.Simulated == nil:
		return ""
	case p.Simulated.Locked:
		return fmt.Sprintf("simulated LOCKS: %s at line rate; nothing is delivered after %v",
			cli.Plural(p.Simulated.Flows, "flow", "flows"), unit.Time(p.Simulated.LastDelivery))
	}
	return fmt.Sprintf("simulated not seen to lock within %v (%s at line rate), which proves nothing",
		unit.Time(p.Simulated.Until), cli.Plural(p.Simulated.Flows, "flow", "flows"))
}
