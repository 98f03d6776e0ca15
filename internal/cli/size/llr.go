package size

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/report"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/replay"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file sizes replay buffers, and extends SONiC's table of them: headroom --llr. Package replay computes; this file
// reads flags and files, and prints.

// llrLong is the part of the help about --llr.
const llrLong = `--llr computes the replay buffer of link-layer retry (LLR) that keeps a link full: frames and bytes that
are not yet acknowledged. Without --speed or --cable it does so for 100G to 3.2T and for 5 m to 100 km.

--llr --fit reads SONiC's llr_profile_lookup.ini, fits a line to the outstanding bytes of each speed, and computes rows
for the lengths of --at. It says which rows are suspect: those with less than light needs both ways. A series that
contradicts light gives no rows without --any-series.

`

// runReplay prints the replay buffers of links. Spacing is bytes between two acknowledgements of the other end, and
// Reverse the longest frame that an acknowledgement waits for; not given: the MTU.
func (f *fitFlags) runReplay(cmd *cobra.Command, bad []error) error {
	p := replay.Port{}
	// The grid is that of the comparison with credits, so that both tables are about the same links.
	rates, cables := cbfc.GridRates, cbfc.GridCables
	if f.speed != "" {
		rates = []unit.BitRate{cli.FlagValue(&bad, "speed", f.speed, unit.ParseBitRate)}
	}
	if f.cable != "" {
		cables = []unit.Length{cli.FlagValue(&bad, "cable", f.cable, unit.ParseLength)}
	}
	p.Link.MTU = cli.FlagValue(&bad, "mtu", f.mtu, unit.ParseBytes)
	p.Spacing = cli.FlagValue(&bad, "ctlos-spacing", f.spacing, unit.ParseBytes)
	// 0 stands for the default in the library, and on the command line for a typing error.
	if p.Spacing == 0 {
		bad = append(bad, fmt.Errorf("--ctlos-spacing: 0B (want %v to %v)", replay.LeastAckSpacing, replay.MostAckSpacing))
	}
	if f.reverse != "" {
		p.Reverse = unit.Given(cli.FlagValue(&bad, "reverse-frame", f.reverse, unit.ParseBytes))
	}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	// LLR repeats frames of every class, so the longest of all counts.
	p.Link.LosslessMTU = p.Link.MTU
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
	s := cli.Section{Title: "Replay buffer that keeps the link full", Name: "links", Columns: []string{"speed", "cable",
		"frames of 64B", "bytes", "in frames of", "replay timer above", "note"}}
	for _, l := range d.Links {
		s.Row(l.Speed.String(), l.Path, cli.Count(l.Frames), cli.Count(l.Bytes), l.Frame.String(), l.Timer.String(),
			strings.Join(l.Notes, "; "))
	}
	r := &cli.Screen{Head: []string{fmt.Sprintf("link-layer retry: MTU %v, acknowledgements %v apart", d.MTU, d.Spacing)},
		Sections: []cli.Section{s}, Foot: []string{
			"a replay timer that is not above the time given repeats frames that have arrived",
			"delays of the ends are inferred: they are those of a pause frame"}}
	// The terms of many links would be a table for each.
	if len(d.Links) == 1 {
		t := cli.Section{Title: "From the first bit of a frame to its acknowledgement", Name: "terms",
			Columns: []string{"term", "bit times", "bytes", "source"}}
		addTerms(&t, d.Links[0].Terms)
		r.Sections = append(r.Sections, t)
	}
	return r
}

// runReplayTable fits the lines of a table and prints the rows. If a row cannot be computed, it prints nothing. Without
// --at it prints the rows that the table has, with what is suspect in them: light in fibre both ways is the least that
// a buffer has to hold.
func (f *fitFlags) runReplayTable(cmd *cobra.Command, bad []error) error {
	speeds := listFlag(&bad, "speed", f.speed, unit.ParseBitRate)
	lengths := listFlag(&bad, "at", f.at, unit.ParseLength)
	if err := errors.Join(bad...); err != nil {
		return err
	}
	name, data, err := cli.ReadInput(cmd, f.file)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The reader refuses what is no llr_profile_lookup.ini, with the line.
	shipped, err := replay.Read(name, bytes.NewReader(data))
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	fits := shipped.Fits()
	// A speed without a row is refused and not fitted from others.
	for _, s := range speeds {
		if !slices.ContainsFunc(fits, func(f replay.Fit) bool { return f.Line.Rate == s }) {
			bad = append(bad, fmt.Errorf("%s: it has no row for %v", name, s))
		}
	}
	if len(speeds) > 0 {
		fits = slices.DeleteFunc(fits, func(f replay.Fit) bool { return !slices.Contains(speeds, f.Line.Rate) })
	}
	var rows []replay.NewRow
	// Every row that cannot be computed is a complaint, and then nothing is printed.
	for i := range fits {
		for _, l := range lengths {
			r, err := fits[i].At(l, f.anySeries)
			rows, bad = append(rows, r), append(bad, err)
		}
	}
	if len(lengths) == 0 { // the table's own rows, with what is suspect in them
		for _, r := range shipped.Rows {
			if len(speeds) == 0 || slices.Contains(speeds, r.Rate) {
				rows = append(rows, replay.NewRow{Row: r, FromTable: true, Notes: r.Suspect()})
			}
		}
	}
	if err := errors.Join(bad...); err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%w\n--any-series computes rows where a line can be fitted", err))
	}
	return cli.Failure(writeReplay(cmd.OutOrStdout(), *f.format, fits, rows))
}

// writeReplay writes the lines and rows. The format "ini" is a table of the rows alone. The rows are repeated below in
// the form of the file, to be pasted.
func writeReplay(w io.Writer, format cli.Output, fits []replay.Fit, rows []replay.NewRow) error {
	t := &replay.Table{Name: "new rows"}
	lines := cli.Section{Title: "Lines", Columns: []string{"speed", "base bytes", "bytes/m", "max residual", "doubt"}}
	for _, f := range fits {
		// A doubt is a series that light contradicts: its rows need --any-series.
		l, doubt := f.Line, ""
		if l.Doubt != nil {
			doubt = l.Doubt.Error()
		}
		lines.Row(l.Rate.String(), cli.Count(l.Base), cli.Number(l.PerMetre.String()),
			cli.Number(l.MaxResidual.String()+" %"), doubt)
	}
	list := cli.Section{Title: "Rows", Columns: []string{"speed", "cable", "frames", "bytes", "replay timer", "note"}}
	for _, r := range rows {
		t.Rows = append(t.Rows, r.Row)
		notes := r.Notes
		if r.FromTable {
			notes = append([]string{"from the table"}, notes...)
		}
		list.Row(r.Rate.String(), r.Cable.String(), cli.Count(r.Of(replay.Frames)), cli.Count(r.Of(replay.Bytes)),
			cli.Number(r.Text(replay.Timer)), strings.Join(notes, "; "))
	}
	// The text is made for every format, because the screen ends with it.
	var ini strings.Builder
	if _, err := t.WriteTo(&ini); err != nil {
		return err
	}
	if format.Format == "ini" {
		_, err := io.WriteString(w, ini.String())
		return err
	}
	r := &cli.Screen{Sections: []cli.Section{lines, list}, Foot: strings.Split(strings.TrimSuffix(ini.String(), "\n"),
		"\n")}
	return r.Write(w, format, fittedReplay(fits, rows))
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
