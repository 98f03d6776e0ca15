package plan

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	provecli "github.com/cellwarden/cellwarden/internal/cli/prove"
	"github.com/cellwarden/cellwarden/report/page"
)

// report writes a plan as a page. Package report/page draws it; this file adds the tables that plan and verify print.

const reportLong = `report plans a topology (YAML or JSON; - is standard input) and writes the plan as one HTML page, with pictures:
where every cell of the memory is, the headroom over the length of the cable, the ports with the refused ones, and the
thresholds of each kind of group. The page is one file that loads nothing. It is light or dark as the reader's screen
is, and can be printed.

--verify also simulates the worst case of every lossless group, as the verb verify does, and the page has the result.

--risk adds how likely the shared headroom pool overflows, as the verb risk answers it, with a picture over the ratio of
the pool. The behaviour of the groups is stated by the flags of risk; without one, the page has for how much of the time
the groups may be paused.

` + cli.ExitCodes

// reportFlags are the flags of the report command.
type reportFlags struct {
	html   string
	verify bool
	risk   bool
	pauses provecli.RiskFlags // for risk
}

// reportCommand returns the report command.
func reportCommand() *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report TOPOLOGY",
		Short: "Write a plan as one HTML page with pictures",
		Long:  reportLong,
		Example: `  cellwarden report examples/arista-7060cx-32s.yaml --html leaf.html
  cellwarden report --verify topology.yaml > leaf.html
  cellwarden report --risk --congested 1% --fan-in 8 topology.yaml > leaf.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	cli.SetFlag(c)
	cli.ConfineFlag(c)
	cli.ForceFlag(c)
	c.Flags().StringVar(&f.html, "html", "-", "write the page to this file; - is standard output")
	c.Flags().BoolVar(&f.verify, "verify", false, "also simulate the worst case of every lossless group")
	c.Flags().BoolVar(&f.risk, "risk", false, "also say how likely the shared headroom pool overflows")
	f.pauses.Register(c)
	return c
}

// check refuses flags that have no meaning without others.
func (f *reportFlags) check(cmd *cobra.Command) error {
	if f.html == "" {
		return errors.New(`--html "": accepted: the name of a file, or - for standard output`)
	}
	for _, name := range provecli.RiskNames {
		if !f.risk && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: accepted with --risk", name)
		}
	}
	return nil
}

// run plans, verifies if that is wanted, and writes the page. A plan that does not fit has a page, and nothing to
// verify.
func (f *reportFlags) run(cmd *cobra.Command, file string) error {
	if err := f.check(cmd); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	behaves, err := f.pauses.Behaves(cmd)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	plan, in, err := cli.LoadPlan(cmd, file)
	if err != nil {
		return err
	}
	p := planPage(file, plan, in, planReport(plan, in, "cells", true))
	if p.Changes, err = cli.Changed(cmd); err != nil {
		return err
	}
	if f.risk {
		if p.Risk, err = f.pauses.OfPlan(plan, in, behaves); err != nil {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", file, err))
		}
	}
	lossless := true
	if f.verify && plan.Fits {
		v, err := f.proof(cmd, plan, in, p)
		if err != nil {
			return err
		}
		lossless = v.Verdict != sim.NotLossless && v.Verdict != sim.NothingToProve
	} else if f.verify {
		p.Proof = &page.Proof{Verdict: "NOT VERIFIED: the plan does not fit"}
	}
	if err := f.write(cmd, p); err != nil {
		return cli.Failure(err)
	}
	if !plan.Fits || !lossless {
		return cli.Silent(cli.ExitNoFit)
	}
	return nil
}

// proof verifies the plan, and gives the page what verify prints.
func (f *reportFlags) proof(cmd *cobra.Command, plan *buffer.Plan, in buffer.Intent, p *page.Report) (*sim.Verification,
	error) {
	v, err := sim.Verify(cmd.Context(), in, plan.Layout(),
		sim.VerifyOptions{Progress: cli.Progress[int](cmd.ErrOrStderr())})
	switch {
	case cmd.Context().Err() != nil:
		return nil, cli.ExitWith(cli.ExitFailure, fmt.Errorf("stopped before all groups were verified: %w", cmd.Context().Err()))
	case err != nil:
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	r := (&provecli.VerifyFlags{}).Screen(v, plan)
	p.Proof = &page.Proof{Verdict: r.Head[0], Good: v.Verdict == sim.Lossless, Lines: r.Head[1:],
		Tables: cli.PageTables(r.Sections)}
	for _, l := range r.Foot {
		if l != "" {
			p.Proof.Lines = append(p.Proof.Lines, l)
		}
	}
	return v, nil
}

// write writes the page to its file, or to standard output. The page is made before the file is opened.
func (f *reportFlags) write(cmd *cobra.Command, p *page.Report) error {
	if f.html == "-" {
		return p.Write(cmd.OutOrStdout())
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	file, err := cli.Create(cmd, f.html)
	if err != nil {
		return err
	}
	if _, err = file.Write(b.Bytes()); err != nil {
		return err
	}
	return cli.Commit(cmd)
}

// planPage is the page of a plan, with the tables of a report behind it. The page goes to other people, so it has the
// name of the file without its folders.
func planPage(name string, plan *buffer.Plan, in buffer.Intent, r *cli.Screen) *page.Report {
	if name = filepath.Base(name); name == "-" {
		name = "standard input"
	}
	return &page.Report{Name: name, Intent: in, Plan: plan, WhatIf: true, Tables: cli.PageTables(r.Sections)}
}
