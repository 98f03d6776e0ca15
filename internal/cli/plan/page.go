package plan

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	provecli "github.com/cellwarden/cellwarden/internal/cli/prove"
	"github.com/cellwarden/cellwarden/internal/live"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/topology"
)

// This file writes a plan as one HTML page: plan -o html. Package report/page draws it; this file adds the tables that
// plan prints, and what verify and risk say.

// pageFlags are the flags of a plan's page. html is a path, "-" for standard output. text is the topology as it was
// read, for a page that plans by itself.
type pageFlags struct {
	html   string
	verify bool
	risk   bool
	pauses provecli.RiskFlags // for risk
	live   bool
	module live.Module // for live
	text   []byte      // of the topology
}

// register adds the flags to a command.
func (f *pageFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.html, "html", "-", "write the page of -o html to this file; - is standard output")
	c.Flags().BoolVar(&f.verify, "verify", false, "with -o html: also simulate the worst case of every lossless group")
	c.Flags().BoolVar(&f.risk, "risk", false, "with -o html: also say how likely the shared headroom pool overflows")
	c.Flags().BoolVar(&f.live, "live", false, "with -o html: a page on which a reader changes values, and the plan follows")
	// The flags of --risk are those of the verb risk.
	f.pauses.Register(c)
}

// check refuses flags that have no meaning without others. --html or --live alone mean -o html too. It may change the
// format, so it is called before the check of that.
func (f *pageFlags) check(cmd *cobra.Command, format *cli.Output) error {
	// A file for the page says which format is meant. -o table with --html is refused below, because the two
	// contradict.
	if (cmd.Flags().Changed("html") || f.live) && !cmd.Flags().Changed("output") {
		format.Format = "html"
	}
	// An empty name is most often a variable of a script that is not set.
	if f.html == "" {
		return errors.New(`--html "" (want the name of a file, or - for standard output)`)
	}
	for _, name := range []string{"html", "verify", "risk", "live"} {
		if format.Format != "html" && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: accepted with -o html", name)
		}
	}
	// The flags have the defaults of the verb risk, so that only a flag that was given is refused.
	for _, name := range provecli.RiskNames {
		if !f.risk && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s: accepted with --risk", name)
		}
	}
	if !f.live {
		return nil
	}
	return f.checkLive()
}

// checkLive refuses a page that could not be made, or would plan otherwise than this program. The module is in the
// program if it was generated before the build. Two commits could plan differently, and a reader of the page would see
// other numbers than its author.
func (f *pageFlags) checkLive() (err error) {
	if f.risk {
		return errors.New("--risk with --live (want one of them: the page asks about risk itself)")
	}
	if f.module, err = live.Embedded(); err != nil {
		return fmt.Errorf("--live: %w", err)
	}
	if own := cli.ReadVersion().Commit; own != "" && f.module.Commit != "" && own != f.module.Commit {
		return fmt.Errorf("--live: the module of the page is of commit %.12s and this cellwarden of %.12s (want one build: "+
			"go generate ./internal/live before go build)", f.module.Commit, own)
	}
	return nil
}

// write adds what verify and risk say to the page of a plan, and writes it. It is lossless unless --verify finds
// otherwise. A plan that does not fit has a page, and nothing to verify. An error leaves no page. lossless false makes
// the exit code 3, as the verb verify has it.
func (f *pageFlags) write(cmd *cobra.Command, name string, p *page.Report) (lossless bool, err error) {
	// Risk comes before the proof: it is quick, and refuses flags before minutes of simulation.
	if f.risk {
		// The flags were checked once before the plan was made; the file of watermarks is read here.
		q, err := f.pauses.Question(cmd)
		if err != nil {
			return false, cli.ExitWith(cli.ExitUsage, err)
		}
		if p.Risk, err = f.pauses.OfPlan(cmd.Context(), p.Plan, p.Intent, q); err != nil {
			return false, cli.BadUsage("%s: %w", p.Name, err)
		}
	}
	lossless = true
	// A plan that does not fit has refused ports without registers, so there is nothing to simulate.
	if f.verify && p.Plan.Fits {
		v, err := f.proof(cmd, p)
		if err != nil {
			return false, err
		}
		// LOSSLESS IF counts as lossless here: the page names the conditions.
		lossless = v.Verdict == report.Lossless || v.Verdict == report.LosslessIf
		// lossless stays true: a plan that does not fit has the exit code of its refusal.
	} else if f.verify {
		p.Proof = &page.Proof{Verdict: "NOT VERIFIED: the plan does not fit"}
	}
	return lossless, cli.Failure(f.store(cmd, name, p))
}

// proof verifies the plan, and gives the page what verify prints. It takes as long as verify, with progress on a
// terminal.
func (f *pageFlags) proof(cmd *cobra.Command, p *page.Report) (*report.Verification, error) {
	// The flags of verify have no place here: the page has its defaults, which are the worst case. The lines and tables
	// are those that verify prints, so the page and the verb cannot say different things.
	var verify provecli.VerifyFlags
	v, err := verify.Prove(cmd, p.Plan, p.Intent)
	if err != nil {
		return nil, err
	}
	r := verify.Screen(v, p.Plan)
	p.Proof = &page.Proof{Verdict: r.Head[0], Good: v.Verdict == report.Lossless, Lines: r.Head[1:],
		Tables: cli.PageTables(r.Sections)}
	// Empty lines separate parts on a screen, and a page has paragraphs.
	p.Proof.Lines = append(p.Proof.Lines, slices.DeleteFunc(r.Foot, func(l string) bool { return l == "" })...)
	return v, nil
}

// store writes the page to its file, or to standard output. The page is made before the file is opened. --html with a
// file leaves standard output empty.
func (f *pageFlags) store(cmd *cobra.Command, name string, p *page.Report) error {
	// An error while the page is drawn must leave an older file in place.
	var b bytes.Buffer
	p.Stop = cmd.Context().Err
	err := cli.Interruptible(cmd.Context(), func() error {
		err := f.draw(&b, cmd, name, p)
		if err == nil && f.html == "-" {
			_, err = cmd.OutOrStdout().Write(b.Bytes())
		}
		return err
	})
	if err != nil || f.html == "-" {
		return err
	}
	return cli.Store(cmd, f.html, b.Bytes())
}

// draw draws the page, live or not. A live page has the plan as well as the module, so it can be read where scripts do
// not run.
func (f *pageFlags) draw(w *bytes.Buffer, cmd *cobra.Command, name string, p *page.Report) error {
	if !f.live {
		return p.Write(w)
	}
	// Files is filled below, by the paths that the topology has.
	s := live.Given{Topology: string(f.text), Set: p.Changes, Files: map[string]string{}, Verify: f.verify,
		Title: p.Verdict() + " - " + p.Name}
	// The page reads the topology by another name, beside which it has the files that the topology names.
	open := cli.Beside(cmd, name, false)
	// It is read once more only to learn which files it names, and what is in them.
	_, err := topology.Read("topology", f.text, func(path string) ([]byte, error) {
		// Paths of a topology are relative to its folder, and the page has them as the topology spells them.
		beside := path
		if !filepath.IsAbs(path) {
			beside = filepath.Join(filepath.Dir(name), path)
		}
		data, err := open(beside)
		s.Files[path] = string(data)
		return data, err
	}, cli.ChangesOf(cmd)...)
	if err != nil {
		return err
	}
	var answer bytes.Buffer
	// With an error there is no page, as store writes nothing then.
	err = p.Answer(&answer)
	s.Answer = template.HTML(answer.String()) // its texts are escaped
	w.Write(f.module.Page(&s))
	return err
}

// planPage is the page of a plan, with the tables of a report behind it. The page goes to other people, so it has the
// name of the file without its folders. WhatIf adds answers that take many plans, such as the longest cables that fit.
func planPage(name string, plan *buffer.Plan, in buffer.Intent, r *cli.Screen) *page.Report {
	if name = filepath.Base(name); name == "-" {
		name = "standard input"
	}
	return &page.Report{Name: name, Intent: in, Plan: plan, WhatIf: true, Tables: cli.PageTables(r.Sections)}
}
