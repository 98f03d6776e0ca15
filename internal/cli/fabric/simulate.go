package fabric

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file runs a circle in the simulator, and writes it as a scenario.

// simulation are the flags of the run of a circle.
type simulation struct {
	until string
	write string
}

func (s *simulation) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.until, "simulate", "5ms", "how long the circle is run in the simulator; 0ms: not")
	c.Flags().StringVar(&s.write, "scenario", "", "write the circle as a scenario of the verb sim")
	cli.ForceFlag(c)
}

// circle runs the first circle of an answer, notes in the answer what became of it, and writes the scenario.
func (s *simulation) circle(cmd *cobra.Command, f *fabric.File, d *report.FabricDocument) error {
	until, err := unit.ParseTime(s.until)
	if err != nil || until < 0 || until > unit.Second {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--simulate %s (want a time up to 1s, such as 5ms)", s.until))
	}
	data, err := f.Scenario(d)
	if err != nil {
		if s.write != "" {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--scenario: %w", err))
		}
		for i := range d.Priorities {
			if p := &d.Priorities[i]; len(p.Cycle) > 0 {
				p.NotSimulated = err.Error()
				break
			}
		}
		return nil
	}
	if err := s.save(cmd, data); err != nil || until == 0 {
		return err
	}
	run, err := scenario.ReadContext(cmd.Context(), "circle", data, nil)
	if err != nil {
		return cli.Failure(fmt.Errorf("the scenario of the circle: %w", err))
	}
	r, err := run.Run(cmd.Context(), scenario.Options{Until: until})
	if err != nil {
		return cli.Failure(err)
	}
	if r.Cut {
		return cli.Failure(cmd.Context().Err())
	}
	for i := range d.Priorities {
		if p := &d.Priorities[i]; len(p.Cycle) > 0 {
			out := unnamed.New(&p.Simulated)
			out.Flows, out.Until, out.Locked = len(run.Network.Flows), int64(until), r.InDeadlock
			out.LastDelivery = int64(r.Summary.LastDelivery)
			break
		}
	}
	return nil
}

// save writes the scenario, if it is asked for.
func (s *simulation) save(cmd *cobra.Command, data []byte) error {
	if s.write == "" {
		return nil
	}
	out, err := cli.Create(cmd, s.write)
	if err != nil {
		return cli.Failure(err)
	}
	if _, err := out.Write(data); err != nil {
		return cli.Failure(err)
	}
	return cli.Failure(cli.Commit(cmd))
}

// simulatedLines say what became of the circle in the simulator.
func simulatedLines(d *report.FabricDocument) []string {
	for i := range d.Priorities {
		p := &d.Priorities[i]
		switch {
		case p.NotSimulated != "":
			return []string{"simulated not: " + p.NotSimulated}
		case p.Simulated == nil:
		case p.Simulated.Locked:
			return []string{fmt.Sprintf("simulated LOCKS: %s at line rate; nothing is delivered after %v",
				cli.Plural(p.Simulated.Flows, "flow", "flows"), unit.Time(p.Simulated.LastDelivery))}
		default:
			return []string{fmt.Sprintf("simulated not seen to lock within %v (%s at line rate), which proves nothing",
				unit.Time(p.Simulated.Until), cli.Plural(p.Simulated.Flows, "flow", "flows"))}
		}
	}
	return nil
}
