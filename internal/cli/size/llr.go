package size

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cbfc"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// llr sizes replay buffers, and extends SONiC's table of them. Package cbfc computes; this file reads flags and
// files, and prints.

// llrFlags are the flags of the llr command, as text.
type llrFlags struct {
	speed, cable, mtu, spacing, reverse, at string
	format                                  cli.Output
	force                                   bool
}

const llrLong = `llr computes the replay buffer of link-layer retry (LLR) that keeps a link full: frames and bytes that
are not yet acknowledged. Without --speed or --cable it does so for 100G to 3.2T and for 5 m to 100 km.

With FILE it reads SONiC's llr_profile_lookup.ini (- is standard input), fits a line to the outstanding bytes of each
speed, and computes rows for the lengths of --at. It says which rows are suspect: those with less than light needs both
ways. A series that contradicts light gives no rows without --force. -o ini prints the rows alone, as a file.

`

// llrCommand returns the llr command.
func llrCommand() *cobra.Command {
	var f llrFlags
	c := &cobra.Command{
		Use:   "llr [FILE]",
		Short: "Size the replay buffer of link-layer retry, and extend llr_profile_lookup.ini",
		Long:  llrLong + cli.ExitCodes,
		Example: `  cellwarden llr --speed 400G --cable 40m
  cellwarden llr llr_profile_lookup.ini --at 300m,2km -o ini`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return f.runTable(cmd, args[0])
			}
			return f.runSizes(cmd)
		},
	}
	c.Flags().StringVar(&f.speed, "speed", "", "speed of the port, such as 400G; with FILE: these speeds only")
	c.Flags().StringVar(&f.cable, "cable", "", "length of the cable, such as 40m")
	c.Flags().StringVar(&f.mtu, "mtu", "9216B", "longest frame of the port")
	c.Flags().StringVar(&f.spacing, "ctlos-spacing", "2048B", "bytes between two acknowledgements")
	c.Flags().StringVar(&f.reverse, "reverse-frame", "", "longest frame of the other direction, which an acknowledgement "+
		"waits for; 0B: idle (default: the MTU)")
	c.Flags().StringVar(&f.at, "at", "", "with FILE: cable lengths of the new rows, such as 300m,2km")
	c.Flags().BoolVar(&f.force, "force", false, "with FILE: also compute rows for series that contradict light")
	c.Flags().StringVarP(&f.format.Format, "output", "o", "table", "output format: "+strings.Join(cli.Formats, ", ")+
		", ini (the rows alone)")
	cli.TableFlags(c, &f.format)
	return c
}

// refuse refuses flags that the other use of the command has.
func (f *llrFlags) refuse(cmd *cobra.Command, why string, names ...string) (bad []error) {
	for _, n := range names {
		if cmd.Flags().Lookup(n).Changed {
			bad = append(bad, fmt.Errorf("--%s: %s", n, why))
		}
	}
	if f.format.Format != "ini" {
		bad = append(bad, cli.CheckFormat(f.format))
	}
	return bad
}

// LlrSizesJSON is the sizes as a document.
type LlrSizesJSON struct {
	Schema  string        `json:"schema"`
	MTU     unit.Bytes    `json:"mtu_bytes"`
	Spacing unit.Bytes    `json:"ctlos_spacing_bytes"`
	Links   []llrSizeJSON `json:"links"`
}

// llrSizeJSON is the replay buffer of one link.
type llrSizeJSON struct {
	Speed  unit.BitRate      `json:"speed"`
	Path   string            `json:"path"`
	Frames int64             `json:"outstanding_frames"` // of 64 bytes
	Bytes  unit.Bytes        `json:"outstanding_bytes"`
	Frame  unit.Bytes        `json:"frame_bytes"`     // the length that needs so many bytes
	Timer  unit.Time         `json:"replay_timer_ps"` // a shorter one repeats frames that have arrived
	Notes  []string          `json:"notes"`
	Terms  []thresholds.Term `json:"terms"`
}

// runSizes prints the replay buffers of links.
func (f *llrFlags) runSizes(cmd *cobra.Command) error {
	bad := f.refuse(cmd, "accepted with FILE", "at", "force")
	if f.format.Format == "ini" {
		bad = append(bad, errors.New("-o ini: accepted with FILE"))
	}
	p := cbfc.ReplayPort{}
	rates, cables := cbfc.GridRates, cbfc.GridCables
	if f.speed != "" {
		rates = []unit.BitRate{flagValue(&bad, "speed", f.speed, unit.ParseBitRate)}
	}
	if f.cable != "" {
		cables = []unit.Length{flagValue(&bad, "cable", f.cable, unit.ParseLength)}
	}
	p.Link.MTU = flagValue(&bad, "mtu", f.mtu, unit.ParseBytes)
	p.Spacing = flagValue(&bad, "ctlos-spacing", f.spacing, unit.ParseBytes)
	if p.Spacing == 0 {
		bad = append(bad, fmt.Errorf("--ctlos-spacing: 0B: accepted: %v to %v", cbfc.LeastAckSpacing, cbfc.MostAckSpacing))
	}
	if f.reverse != "" {
		p.Reverse = unit.Given(flagValue(&bad, "reverse-frame", f.reverse, unit.ParseBytes))
	}
	if err := errors.Join(bad...); err != nil {
		return err
	}
	p.Link.LosslessMTU = p.Link.MTU
	doc := LlrSizesJSON{"cellwarden.llr/v1", p.Link.MTU, p.Spacing, []llrSizeJSON{}}
	for _, p.Link.Rate = range rates {
		for _, p.Link.Cable = range cables {
			r, err := cbfc.SizeReplay(p)
			if err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			doc.Links = append(doc.Links, llrSizeJSON{p.Link.Rate, p.Link.Path(), r.Frames, r.Bytes, r.Frame, r.Timer,
				append([]string{}, r.Limits()...), r.Terms})
		}
	}
	return cli.Failure(doc.report().Write(cmd.OutOrStdout(), f.format, doc))
}

// report lists the sizes, and the terms if there is one link.
func (d LlrSizesJSON) report() *cli.Screen {
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
	if len(d.Links) == 1 {
		t := cli.Section{Title: "From the first bit of a frame to its acknowledgement", Name: "terms",
			Columns: []string{"term", "bit times", "bytes", "source"}}
		addTerms(&t, d.Links[0].Terms)
		r.Sections = append(r.Sections, t)
	}
	return r
}

// LlrTableJSON is a table with its lines and new rows.
type LlrTableJSON struct {
	Schema string       `json:"schema"`
	Fits   []llrFitJSON `json:"fits"`
	Rows   []llrRowJSON `json:"rows"`
}

// llrFitJSON is the line of a speed.
type llrFitJSON struct {
	Speed    int64             `json:"speed_mbps"`
	Base     unit.Bytes        `json:"base_bytes"`
	PerMetre table.Thousandths `json:"bytes_per_m"`
	Residual table.Thousandths `json:"max_residual_percent"`
	Doubt    string            `json:"doubt"` // why it gives no rows; empty: it does
}

// llrRowJSON is a row.
type llrRowJSON struct {
	Speed     int64             `json:"speed_mbps"`
	Cable     json.Number       `json:"cable_m"`
	Values    map[string]string `json:"values"` // by column; a value that is not set is absent
	FromTable bool              `json:"from_table"`
	Notes     []string          `json:"notes"`
}

// runTable fits the lines of a table and prints the rows. If a row cannot be computed, it prints nothing.
func (f *llrFlags) runTable(cmd *cobra.Command, path string) error {
	bad := f.refuse(cmd, "not accepted with FILE", "cable", "mtu", "ctlos-spacing", "reverse-frame")
	speeds := listFlag(&bad, "speed", f.speed, unit.ParseBitRate)
	lengths := listFlag(&bad, "at", f.at, unit.ParseLength)
	if err := errors.Join(bad...); err != nil {
		return err
	}
	name, data, err := cli.ReadInput(cmd, path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	shipped, err := cbfc.ReadReplayTable(name, bytes.NewReader(data))
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	fits := shipped.Fits()
	for _, s := range speeds {
		if !slices.ContainsFunc(fits, func(f cbfc.ReplayFit) bool { return f.Line.Rate == s }) {
			bad = append(bad, fmt.Errorf("%s: it has no row for %v", name, s))
		}
	}
	if len(speeds) > 0 {
		fits = slices.DeleteFunc(fits, func(f cbfc.ReplayFit) bool { return !slices.Contains(speeds, f.Line.Rate) })
	}
	var rows []cbfc.NewReplayRow
	for i := range fits {
		for _, l := range lengths {
			r, err := fits[i].At(l, f.force)
			rows, bad = append(rows, r), append(bad, err)
		}
	}
	if len(lengths) == 0 { // the table's own rows, with what is suspect in them
		for _, r := range shipped.Rows {
			if len(speeds) == 0 || slices.Contains(speeds, r.Rate) {
				rows = append(rows, cbfc.NewReplayRow{ReplayRow: r, FromTable: true, Notes: r.Suspect()})
			}
		}
	}
	if err := errors.Join(bad...); err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%w\n--force computes rows where a line can be fitted", err))
	}
	return cli.Failure(writeReplay(cmd.OutOrStdout(), f.format, fits, rows))
}

// writeReplay writes the lines and rows. The format "ini" is a table of the rows alone.
func writeReplay(w io.Writer, format cli.Output, fits []cbfc.ReplayFit, rows []cbfc.NewReplayRow) error {
	t := &cbfc.ReplayTable{Name: "new rows"}
	doc := LlrTableJSON{"cellwarden.llr-table/v1", []llrFitJSON{}, []llrRowJSON{}}
	lines := cli.Section{Title: "Lines", Columns: []string{"speed", "base bytes", "bytes/m", "max residual", "doubt"}}
	for _, f := range fits {
		l, doubt := f.Line, ""
		if l.Doubt != nil {
			doubt = l.Doubt.Error()
		}
		lines.Row(l.Rate.String(), cli.Count(l.Base), cli.Number(l.PerMetre.String()), cli.Number(l.MaxResidual.String()+" %"), doubt)
		doc.Fits = append(doc.Fits, llrFitJSON{int64(l.Rate / unit.Mbps), l.Base, l.PerMetre, l.MaxResidual, doubt})
	}
	list := cli.Section{Title: "Rows", Columns: []string{"speed", "cable", "frames", "bytes", "replay timer", "note"}}
	for _, r := range rows {
		t.Rows = append(t.Rows, r.ReplayRow)
		j := llrRowJSON{int64(r.Rate / unit.Mbps), metres(r.Cable), map[string]string{}, r.FromTable,
			append([]string{}, r.Notes...)}
		for c := range cbfc.Columns {
			if r.Values[c].IsGiven() {
				j.Values[c.String()] = r.Text(c)
			}
		}
		doc.Rows = append(doc.Rows, j)
		notes := r.Notes
		if r.FromTable {
			notes = append([]string{"from the table"}, notes...)
		}
		list.Row(r.Rate.String(), r.Cable.String(), cli.Count(r.Of(cbfc.ReplayFrames)), cli.Count(r.Of(cbfc.ReplayBytes)),
			cli.Number(r.Text(cbfc.ReplayTimer)), strings.Join(notes, "; "))
	}
	var ini strings.Builder
	if _, err := t.WriteTo(&ini); err != nil {
		return err
	}
	if format.Format == "ini" {
		_, err := io.WriteString(w, ini.String())
		return err
	}
	r := &cli.Screen{Sections: []cli.Section{lines, list}, Foot: strings.Split(strings.TrimSuffix(ini.String(), "\n"), "\n")}
	return r.Write(w, format, doc)
}
