package prove

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/peers"
)

// This file runs the scenario of another simulator by that simulator's admission rule,
// to compare event logs.

// peerFlags select such a run.
type peerFlags struct{ scenario, rule string }

// add adds the flags to the sim command.
func (f *peerFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.scenario, "scenario", "",
		"incast scenario of another simulator (scenario.json), in place of FILE")
	c.Flags().StringVar(&f.rule, "rule", "", "admission rule for --scenario: "+
		strings.Join(peers.Names(), " or ")+" (default: the rule of the scenario's model)")
}

// run plays the scenario and writes its event log with the columns of the other
// simulator, so that the two logs can be compared line by line.
func (f *peerFlags) run(cmd *cobra.Command, format cli.Output, trace string) error {
	if err := cli.CheckFormat(format); err != nil {
		return err
	}
	name, data, err := cli.ReadInput(cmd, f.scenario)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	s, err := peers.Parse(name, data)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	if f.rule == "" {
		f.rule = s.RuleName()
	}
	rule, err := peers.NewRule(f.rule, s)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--rule: %w", err))
	}
	res, err := runPeer(cmd, s, rule, trace)
	if err != nil {
		return cli.Failure(err)
	}
	d := peerDocument(s, f.rule, &res)
	if err := d.report().Write(cmd.OutOrStdout(), format, d); err != nil {
		return cli.Failure(err)
	}
	if !res.Complete {
		return cli.ExitWith(cli.ExitFailure, errors.New("interrupted; the files are complete up to then"))
	}
	return nil
}

// runPeer writes the event log to a file if one is named.
func runPeer(cmd *cobra.Command, s *peers.Scenario, rule peers.Rule, trace string) (res peers.Result, err error) {
	var log io.Writer
	if trace != "" {
		if log, err = cli.Create(cmd, trace); err != nil {
			return res, err
		}
	}
	if res, err = peers.Run(cmd.Context(), s, rule, log); err != nil {
		return res, err
	}
	return res, cli.Commit(cmd)
}

// peerJSON has the keys of a scenario's summary. These rules count bytes, so their
// cells have one byte.
type peerJSON struct {
	Schema         string           `json:"schema"`
	Name           string           `json:"name"`
	Rule           string           `json:"rule"`
	Delivered      int64            `json:"frames_delivered"`
	Drops          int64            `json:"drops"`
	ByReason       map[string]int64 `json:"drops_by_reason"`
	PauseSent      int64            `json:"pause_sent"`
	ResumeSent     int64            `json:"resume_sent"`
	Marked         int64            `json:"ecn_marked"`
	CNP            int64            `json:"cnp_sent"`
	MaxHeadroom    int64            `json:"max_headroom_cells"`
	MaxAllHeadroom int64            `json:"max_headroom_of_all_cells"`
	MaxShared      int64            `json:"max_shared_cells"`
	CellBytes      int64            `json:"cell_bytes"`
	LastDelivery   int64            `json:"last_delivery_ps"`
	Events         int64            `json:"events"`
}

// peerDocument converts the result.
func peerDocument(s *peers.Scenario, rule string, r *peers.Result) peerJSON {
	return peerJSON{Schema: "cellwarden.sim/v1", Name: s.Name, Rule: rule, Delivered: r.Delivered, Drops: r.Drops,
		ByReason:  r.ByReason,
		PauseSent: r.PauseSent, ResumeSent: r.ResumeSent, Marked: r.Marked, CNP: r.CNP,
		MaxHeadroom:    int64(r.MaxHeadroom),
		MaxAllHeadroom: int64(r.MaxAllHeadroom), MaxShared: int64(r.MaxUsed), CellBytes: 1,
		LastDelivery: int64(r.LastDelivery), Events: r.Events}
}

// report returns the table.
func (d *peerJSON) report() *cli.Screen {
	s := cli.Section{Title: "Summary", Columns: []string{"what", "value"}}
	for _, x := range []struct {
		name string
		n    int64
	}{{"frames delivered", d.Delivered}, {"drops", d.Drops}, {"pause sent", d.PauseSent}, {"resume sent", d.ResumeSent},
		{"maximum headroom of one port and priority, bytes", d.MaxHeadroom},
		{"maximum headroom of the switch, bytes", d.MaxAllHeadroom},
		{"maximum memory in use, bytes", d.MaxShared}, {"last delivery, ps", d.LastDelivery}, {"events", d.Events}} {
		s.Row(x.name, cli.Count(x.n))
	}
	return &cli.Screen{Head: []string{d.Name + " with the admission rule of " + d.Rule}, Sections: []cli.Section{s}}
}
