package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/unit"
)

// simFlags say what a run leaves behind.
type simFlags struct {
	format, trace, pcap, plot string
	seed                      uint64
	until                     string
	peer                      peerFlags
}

func simCommand() *cobra.Command {
	var f simFlags
	c := &cobra.Command{
		Use:   "sim [FILE]",
		Short: "Run a scenario: packets, pauses and drops, and whether they are as the file expects",
		Long: "sim runs a scenario, a YAML or JSON file (- for standard input) with hosts, links, switches and " +
			"flows, in a simulator that is exact\n" +
			"in picoseconds and cells. docs/scenarios.md lists the keys; examples/scenarios has files that each " +
			"show one thing.\n\n" +
			"--trace writes every event as CSV, --pcap the frames as Wireshark reads them, --plot one HTML page " +
			"with pictures.\n" +
			"The same file and seed give the same bytes. A run that is interrupted leaves whole files and says " +
			"that it was cut.\n" +
			"An expectation of the file that does not hold exits 1; with --until expectations are not looked at.\n\n" + exitCodes,
		Example: "  cellwarden sim --scenario scenario.json --rule hpcc --trace out.csv\n  cellwarden sim " +
			"examples/scenarios/incast-absorbed.yaml\n  cellwarden sim incast.yaml -o json --plot run.html --pcap " +
			"run.pcap",
		Args: cobra.MaximumNArgs(1),
		RunE: f.choose,
	}
	f.peer.add(c)
	c.Flags().StringVar(&f.trace, "trace", "", "write every event to this CSV file")
	c.Flags().StringVar(&f.pcap, "pcap", "", "write the frames to this pcap file")
	c.Flags().StringVar(&f.plot, "plot", "", "write pictures to this HTML file")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "chance, in the place of the file's seed")
	c.Flags().StringVar(&f.until, "until", "", "end of the run, such as 500us, in the place of the file's")
	outputFlag(c, &f.format)
	return c
}

// choose runs a scenario of our own, or another simulator's.
func (f *simFlags) choose(cmd *cobra.Command, args []string) error {
	switch {
	case f.peer.scenario == "" && len(args) == 1 && f.peer.rule == "":
		return f.run(cmd, args[0])
	case f.peer.scenario != "" && len(args) == 0 && f.pcap == "" && f.plot == "" && f.until == "" &&
		!cmd.Flags().Changed("seed"):
		return f.peer.run(cmd, f.format, f.trace)
	}
	return exit{exitUsage, errors.New(
		"accepted: FILE and its flags, or --scenario SCENARIO.json with --rule, --trace and -o alone")}
}

func (f *simFlags) run(cmd *cobra.Command, file string) error {
	if err := checkFormat(f.format); err != nil {
		return err
	}
	name, data, err := readInput(cmd.InOrStdin(), file)
	if err != nil {
		return exit{exitUsage, err}
	}
	s, err := scenario.Read(name, data, os.ReadFile)
	if err != nil {
		return exit{exitUsage, err}
	}
	if cmd.Flags().Changed("seed") {
		s.Network.Seed = f.seed
	}
	var o scenario.Options
	if f.until != "" {
		if o.Until, err = unit.ParseTime(f.until); err != nil || o.Until == 0 {
			return exit{exitUsage, fmt.Errorf("--until %q: accepted: a time of more than 0, such as 500us", f.until)}
		}
	}
	res, err := f.write(cmd.Context(), s, o, progress[unit.Time](cmd.ErrOrStderr()))
	if err != nil {
		return failure(err)
	}
	d := simDocument(s, res)
	if err := d.report(s, res).write(cmd.OutOrStdout(), f.format, d); err != nil {
		return failure(err)
	}
	return simVerdict(res)
}

// simVerdict is the error of a run that was cut or did not do as expected.
func simVerdict(res *scenario.Result) error {
	switch {
	case res.Cut:
		return exit{exitFailure, fmt.Errorf("interrupted at %v of model time; what was written until then is whole",
			res.End)}
	case len(res.Unmet) > 0:
		return exit{exitFailure, errors.New("not as expected:\n  " + strings.Join(res.Unmet, "\n  "))}
	}
	return nil
}

// write runs the scenario with the files that the flags name. They are closed
// whatever happens.
func (f *simFlags) write(ctx context.Context, s *scenario.Scenario, o scenario.Options,
	tell func(done, whole unit.Time)) (res *scenario.Result, err error) {
	var files []*os.File
	defer func() {
		for _, file := range files {
			err = errors.Join(err, file.Close())
		}
	}()
	for _, x := range []struct {
		path string
		to   *io.Writer
	}{{f.trace, &o.Trace}, {f.pcap, &o.Capture}, {f.plot, &o.Plot}} {
		if x.path == "" {
			continue
		}
		file, err := os.Create(x.path)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		*x.to = file
	}
	o.Progress = tell
	return s.Run(ctx, o)
}

type simJSON struct {
	Schema       string           `json:"schema"`
	Name         string           `json:"name"`
	Seed         uint64           `json:"seed"`
	Delivered    int64            `json:"frames_delivered"`
	Drops        int64            `json:"drops"`
	ByReason     map[string]int64 `json:"drops_by_reason"`
	PauseSent    int64            `json:"pause_sent"`
	ResumeSent   int64            `json:"resume_sent"`
	Marked       int64            `json:"ecn_marked"`
	CNP          int64            `json:"cnp_sent"`
	MaxHeadroom  int64            `json:"max_headroom_cells"`
	MaxShared    int64            `json:"max_shared_cells"`
	LastDelivery int64            `json:"last_delivery_ps"`
	Events       int64            `json:"events"`
	Storms       int64            `json:"watchdog_storms"`
	Deadlocks    int              `json:"deadlocks"`
	Locked       bool             `json:"ends_locked"`
	Findings     []string         `json:"findings,omitempty"`
	End          int64            `json:"end_ps"`
	Cut          bool             `json:"cut"`
	Met          *bool            `json:"expectations_met"` // null: they were not looked at
	Unmet        []string         `json:"expectations_unmet"`
}

func simDocument(s *scenario.Scenario, r *scenario.Result) simJSON {
	d := simJSON{Schema: "cellwarden.sim/v1", Name: s.Name, Seed: s.Network.Seed, Delivered: r.Summary.Delivered,
		Drops: r.Summary.Drops, ByReason: r.Summary.ByReason,
		PauseSent: r.Summary.PauseSent, ResumeSent: r.Summary.ResumeSent, Marked: r.Summary.Marked, CNP: r.Summary.CNP,
		MaxHeadroom: int64(r.Summary.MaxHeadroom), MaxShared: int64(r.Summary.MaxShared),
		LastDelivery: int64(r.Summary.LastDelivery),
		Events:       r.Summary.Events, Storms: r.Storms, Deadlocks: len(r.Deadlocks), Locked: r.InDeadlock, End: int64(r.End),
		Cut: r.Cut, Unmet: append([]string{}, r.Unmet...)}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, f.Text)
	}
	if r.Checked {
		d.Met = new(len(r.Unmet) == 0)
	}
	return d
}

// report is the table form: the whole run, its flows, and the ports that have
// something to tell.
func (d *simJSON) report(s *scenario.Scenario, r *scenario.Result) *report {
	out := &report{head: []string{s.Name}}
	if s.Lesson != "" {
		out.head = append(out.head, s.Lesson)
	}
	sum := section{title: "Summary", columns: []string{"what", "value"}}
	for _, x := range []struct {
		name string
		n    int64
	}{{"frames delivered", d.Delivered}, {"drops", d.Drops}, {"pause sent", d.PauseSent},
		{"resume sent", d.ResumeSent}, {"ECN marked", d.Marked},
		{"CNP sent", d.CNP}, {"most headroom cells", d.MaxHeadroom}, {"most shared cells", d.MaxShared},
		{"events", d.Events}} {
		sum.row(x.name, count(x.n))
	}
	for _, x := range []struct {
		name string
		n    int64
	}{{"frames sent again", r.Summary.Resent}, {"ACK sent", r.Summary.ACK}, {"NAK sent", r.Summary.NAK},
		{"storms found by watchdogs", d.Storms}, {"deadlocks", int64(d.Deadlocks)}} {
		if x.n > 0 {
			sum.row(x.name, count(x.n))
		}
	}
	for _, reason := range fabric.Reasons() {
		if n := d.ByReason[reason]; n > 0 {
			sum.row("drops: "+reason, count(n))
		}
	}
	out.sections = []section{sum, simFlows(r), simPorts(s, r)}
	out.sections = slices.DeleteFunc(out.sections, func(s section) bool { return len(s.rows) == 0 })
	if d.Locked {
		out.foot = append(out.foot, "LOCKED at the end: "+r.Cycle)
	}
	for _, f := range d.Findings {
		out.foot = append(out.foot, "finding: "+f)
	}
	out.foot = append(out.foot, fmt.Sprintf("last delivery at %v, run to %v, seed %d", r.Summary.LastDelivery, r.End,
		d.Seed), d.verdict(len(s.Expect)))
	return out
}

// verdict says in a line what became of the expectations.
func (d *simJSON) verdict(expected int) string {
	switch {
	case d.Cut:
		return "CUT: the run was interrupted; expectations were not looked at"
	case d.Met == nil:
		return "expectations were not looked at: the run ends elsewhere"
	case !*d.Met:
		return fmt.Sprintf("NOT AS EXPECTED: %d of %d expectations do not hold", len(d.Unmet), expected)
	case expected == 0:
		return "the file expects nothing"
	}
	return fmt.Sprintf("AS EXPECTED: %d expectations hold", expected)
}

// most rows that a table prints; the rest is counted.
const simRows = 40

func simFlows(r *scenario.Result) section {
	s := section{title: "Flows", columns: []string{"flow", "sent", "delivered", "lost", "rate", "last delivery"}}
	for i := range r.Flows[:min(len(r.Flows), simRows)] {
		f := &r.Flows[i]
		s.row(f.Name, count(f.Sent), count(f.Delivered), count(f.Lost), roughly(f.Rate).String(), f.Last.String())
	}
	if n := len(r.Flows) - simRows; n > 0 {
		s.title += fmt.Sprintf(" (the first %d; %d more)", simRows, n)
	}
	return s
}

// roughly rounds a rate of a gigabit and more to megabits: a table is for
// reading, and JSON has the counts.
func roughly(r unit.BitRate) unit.BitRate {
	if r < unit.Gbps {
		return r
	}
	return (r + unit.Mbps/2) / unit.Mbps * unit.Mbps
}

// simPorts lists the priorities of ports that paused, were paused or lost
// something.
func simPorts(s *scenario.Scenario, r *scenario.Result) section {
	out := section{title: "Ports", columns: []string{"port", "class", "pause sent", "resume sent", "pause received",
		"kept still for", "drops"}}
	more := 0
	for i := range r.Ports {
		p := &r.Ports[i]
		c := &p.Counters
		for prio := range fabric.Priorities {
			if c.PauseSent[prio]+c.PauseReceived[prio]+c.Drops[prio] == 0 {
				continue
			}
			if len(out.rows) == simRows {
				more++
				continue
			}
			out.row(p.Name, s.ClassName(prio), count(c.PauseSent[prio]), count(c.ResumeSent[prio]),
				count(c.PauseReceived[prio]), c.PausedTime[prio].String(), count(c.Drops[prio]))
		}
	}
	if more > 0 {
		out.title += fmt.Sprintf(" (the first %d; %d more)", simRows, more)
	}
	return out
}
