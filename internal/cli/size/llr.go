package size

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/replay"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file sizes replay buffers, and extends SONiC's table of them: headroom --llr. Package replay computes; this file
// reads flags and files, and prints.

// runReplay prints the replay buffers of links. Spacing is bytes between two acknowledgements of the other end, and
// Reverse the longest frame that an acknowledgement waits for; not given: the MTU.
func (f *fitFlags) runReplay(cmd *cobra.Command, bad []error) error {
	p := replay.Port{Reverse: optionalOf(f.q, &bad, "reverse_frame", unit.ParseBytes)}
	// The grid is that of the comparison with credits, so that both tables are about the same links.
	rates, cables := cbfc.GridRates, cbfc.GridCables
	if f.q.has("speed") {
		rates = []unit.BitRate{quantityOf(f.q, &bad, "speed", unit.ParseBitRate)}
	}
	if f.q.has("cable") {
		cables = []unit.Length{quantityOf(f.q, &bad, "cable", unit.ParseLength)}
	}
	// LLR repeats frames of every class, so the longest of all counts.
	p.Link.MTU = quantityOf(f.q, &bad, "mtu", unit.ParseBytes)
	p.Link.LosslessMTU = p.Link.MTU
	p.Spacing = cli.FlagValue(&bad, "ctlos-spacing", cmd.Flags().Lookup("ctlos-spacing").Value.String(), unit.ParseBytes)
	// 0 stands for the default in the library, and on the command line for a typing error.
	if p.Spacing == 0 {
		bad = append(bad, fmt.Errorf("--ctlos-spacing: 0B (want %v to %v)", replay.LeastAckSpacing, replay.MostAckSpacing))
	}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	doc := report.LLRDocument{Schema: report.Schema("llr"), MTU: p.Link.MTU, Spacing: p.Spacing}
	// The order is by speed, then by length, as in the grid of credits.
	for _, p.Link.Rate = range rates {
		for _, p.Link.Cable = range cables {
			r, err := replay.Size(p)
			if err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			addReplay(&doc, p.Link, r)
		}
	}
	return llrScreen(&doc).Print(cmd, *f.format, doc, cli.ExitFine)
}

// addReplay adds the replay buffer of one link. Frames are of 64 bytes, and bytes in frames of the size in the column
// after it: a buffer is full when either is.
func addReplay(d *report.LLRDocument, l thresholds.Link, r replay.Buffer) {
	to := unnamed.Add(&d.Links)
	to.Speed, to.Path = l.Rate, l.Path()
	to.Frames, to.Bytes, to.Frame, to.Timer = r.Frames, r.Bytes, r.Frame, r.Timer
	// Notes is [] and not null in JSON.
	to.Notes, to.Terms = append([]string{}, r.Limits()...), r.Terms
}

// llrScreen lists the sizes, and the terms if there is one link. A timer that is below the time of the table is the
// usual mistake, so that a note says it.
func llrScreen(d *report.LLRDocument) *cli.Screen {
	// The replay timer has to be above this time, and how far above is the operator's choice.
	s := cli.Table("links", "Replay buffer that keeps the link full", "speed", "cable", "frames of 64B", "bytes",
		"in frames of", "replay timer above", "note")
	for _, l := range d.Links {
		s.Row(l.Speed.String(), l.Path, cli.Count(l.Frames), cli.Count(l.Bytes), l.Frame.String(), l.Timer.String(),
			strings.Join(l.Notes, "; "))
	}
	r := &cli.Screen{Head: []string{fmt.Sprintf("link-layer retry: MTU %v, acknowledgements %v apart", d.MTU, d.Spacing)},
		Sections: []cli.Section{s}, Foot: []string{"a replay timer that is not above the time given repeats frames that " +
			"have arrived", "delays of the ends are inferred: they are those of a pause frame"}}
	// The terms of many links would be a table for each.
	if len(d.Links) == 1 {
		t := cli.Table("terms", "From the first bit of a frame to its acknowledgement", "term", "bit times", "bytes",
			"source")
		addTerms(&t, d.Links[0].Terms)
		r.Sections = append(r.Sections, t)
	}
	return r
}

// runReplayTable fits the lines of a table and prints the rows. Without --at it prints the rows that the table has,
// with what is suspect in them: light in fibre both ways is the least that a buffer has to hold.
func (f *fitFlags) runReplayTable(cmd *cobra.Command, bad []error) error {
	// The reader refuses what is no llr_profile_lookup.ini, with the line.
	q, shipped, err := readAsked(cmd, f, bad, replay.Read)
	if err != nil {
		return err
	}
	fits, rows, err := rowsAt(q, shipped.Fits(), func(f *replay.Fit) unit.BitRate { return f.Line.Rate },
		func(t *replay.Fit, l unit.Length) (replay.NewRow, error) { return t.At(l, f.anySeries) })
	if err != nil {
		return err
	}
	if len(q.lengths) == 0 {
		for _, r := range shipped.Rows {
			if len(q.speeds) == 0 || slices.Contains(q.speeds, r.Rate) {
				rows = append(rows, replay.NewRow{Row: r, FromTable: true, Notes: r.Suspect()})
			}
		}
	}
	return extendedReplay(fits, rows).print(cmd, *f.format, fittedReplay(fits, rows))
}

// extendedReplay lists the lines and the rows. A doubt is a series that light contradicts: its rows need --any-series.
func extendedReplay(fits []replay.Fit, rows []replay.NewRow) extended {
	lines := cli.Table("", "Lines", "speed", "base bytes", "bytes/m", "max residual", "doubt")
	for i := range fits {
		doubt := ""
		if err := fits[i].Line.Doubt; err != nil {
			doubt = err.Error()
		}
		addLine(&lines, &fits[i].Line, doubt)
	}
	list := cli.Table("", "Rows", "speed", "cable", "frames", "bytes", "replay timer", "note")
	file := &replay.Table{Name: "new rows"}
	for _, r := range rows {
		file.Rows = append(file.Rows, r.Row)
		notes := r.Notes
		if r.FromTable {
			notes = append([]string{"from the table"}, notes...)
		}
		list.Row(r.Rate.String(), r.Cable.String(), cli.Count(r.Of(replay.Frames)), cli.Count(r.Of(replay.Bytes)),
			cli.Number(r.Text(replay.Timer)), strings.Join(notes, "; "))
	}
	return extended{lines, list, file}
}

// fittedReplay returns the document of the lines of a table of replay buffers, and of its rows. Speeds are Mbit/s, as
// in SONiC's files, lengths metres, and values texts as the table has them.
func fittedReplay(fits []replay.Fit, rows []replay.NewRow) report.LLRTableDocument {
	d := report.LLRTableDocument{Schema: report.Schema("llr-table")}
	lines := unnamed.List(&d.Fits, len(fits))
	for i := range fits {
		l, to := &fits[i].Line, &lines[i]
		to.Speed, to.Base, to.PerMetre, to.Residual = int64(l.Rate/unit.Mbps), l.Base, l.PerMetre, l.MaxResidual
		if l.Doubt != nil {
			to.Doubt = l.Doubt.Error()
		}
	}
	list := unnamed.List(&d.Rows, len(rows))
	for i := range rows {
		r, to := &rows[i], &list[i]
		to.Speed, to.Cable, to.Values = int64(r.Rate/unit.Mbps), report.Metres(r.Cable), map[string]string{}
		for c := range replay.Columns {
			// A value that the row does not state is no key, and not an empty one.
			if r.Values[c].IsGiven() {
				to.Values[c.String()] = r.Text(c)
			}
		}
		// Notes is [] and not null in JSON.
		to.FromTable, to.Notes = r.FromTable, append([]string{}, r.Notes...)
	}
	return d
}
