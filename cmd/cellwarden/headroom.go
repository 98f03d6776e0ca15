package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

func headroomCommand() *cobra.Command {
	var format, batch string
	var compare, explain bool
	c := &cobra.Command{
		Use:   "headroom",
		Short: "Size the headroom of one lossless group, term by term, by one method or by all",
		Long: "headroom sizes one lossless group at the end of one link, prints every term with its source, and " +
			"shows the ways to turn\n" +
			"bytes on the wire into cells of the chip. The methods disagree by factors; --compare prints them side " +
			"by side.\n" +
			"--batch reads JSON lines with the names of the flags (_ for -) and writes a line of JSON for each; " +
			"what a line does not say is\n" +
			"taken from the flags.\n\n" + methodHelp() + "\n" + exitCodes,
		Example: "  cellwarden headroom --method ieee802.1qbb --speed 10G --cable 100m --mtu 9216B --lossless-mtu " +
			"2300B --cell 416B --frame 64B\n" +
			"  cellwarden headroom --method sonic-dynamic --chip spectrum-3 --speed 100G --cable 300m --mtu 9100B " +
			"--lossless-mtu 1024B\n" +
			"  cellwarden headroom --speed 400G --cable 300m --compare",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			switch {
			case batch != "":
				return runBatch(cmd, batch)
			case compare:
				return runCompare(cmd, requestOf(cmd), format)
			default:
				return runHeadroom(cmd, requestOf(cmd), format, explain)
			}
		},
	}
	for _, k := range requestKeys {
		c.Flags().String(k.flag(), k.standard, k.help)
		if k.boolean {
			c.Flags().Lookup(k.flag()).NoOptDefVal = "true"
		}
	}
	c.Flags().BoolVar(&compare, "compare", false, "print every method for this link in one table")
	c.Flags().StringVar(&batch, "batch", "", "file of JSON lines to answer, - for standard input")
	c.Flags().BoolVar(&explain, "explain", false, "print the parts of every term and what kind of source each has")
	outputFlag(c, &format)
	c.MarkFlagsMutuallyExclusive("compare", "batch")
	return c
}

// methodHelp lists the methods and the flags of each.
func methodHelp() string {
	var out strings.Builder
	out.WriteString("Methods, and the flags that belong to one:\n")
	for _, m := range method.Methods() {
		var flags []string
		for _, k := range method.MethodOptions(m) {
			flags = append(flags, "--"+strings.ReplaceAll(k, "_", "-"))
		}
		fmt.Fprintf(&out, "  %-18s %s\n", m, strings.Join(flags, " "))
	}
	return out.String()
}

// runHeadroom sizes one link by one method.
func runHeadroom(cmd *cobra.Command, q request, format string, explain bool) error {
	j, err := q.job()
	if err != nil {
		return err
	}
	e, err := j.sizer.Explain(j.link, j.memory)
	if err != nil {
		return exit{exitUsage, err}
	}
	return failure(headroomReport(e, j, explain).write(cmd.OutOrStdout(), format, headroomDocument(e, j)))
}

// covers returns the metres of cable that a headroom without a sum of delays
// behind it covers by the standard's sum; 0 where that does not apply.
func covers(e thresholds.Explanation, l thresholds.Link) int64 {
	if e.Method != (method.CiscoPractical{}).Method() {
		return 0
	}
	length, err := method.CoveredLength(e.Size-e.XON, l)
	if err != nil {
		return 0
	}
	return int64((length + unit.Metre/2) / unit.Metre)
}

// sizeNotes says if the headroom is not known to be enough for the worst case of
// the link.
func sizeNotes(e thresholds.Explanation, j job) []string {
	if text := thresholds.WorstCaseOf(j.sizer, j.link, j.memory).Note(e.Cells, j.memory.Cell); text != "" {
		return []string{text}
	}
	return nil
}

// headroomJSON is a headroom as JSON. What a method does not know is left out.
type headroomJSON struct {
	Schema    string            `json:"schema"`
	Method    string            `json:"method"`
	Frame     unit.Bytes        `json:"frame_bytes"`
	Mix       string            `json:"frame_mix,omitempty"`
	Terms     []thresholds.Term `json:"terms"`
	BitTimes  int64             `json:"total_bit_times"`
	Wire      unit.Bytes        `json:"wire_bytes"`
	Cells     cells.Count       `json:"xoff_cells"`
	XOFF      unit.Bytes        `json:"xoff_bytes"`
	XON       *unit.Bytes       `json:"xon_bytes,omitempty"`
	XONOffset *unit.Bytes       `json:"xon_offset_bytes,omitempty"`
	Size      *unit.Bytes       `json:"size_bytes,omitempty"`
	CellBytes cells.Size        `json:"cell_bytes"`
	Overhead  unit.Bytes        `json:"overhead_bytes"`
	// cable that the headroom covers by the standard's sum, to the nearest metre
	Covers int64 `json:"covers_m,omitempty"`
	// whether the headroom is enough for the worst case of verify
	Enough   thresholds.Sufficiency `json:"enough"`
	Readings []thresholds.Reading   `json:"readings"`
	// the ways to add up the delays of both ends, of which one is used
	Sums     []thresholds.SumReading `json:"delay_sums,omitempty"`
	Warnings []string                `json:"warnings"`
}

func headroomDocument(e thresholds.Explanation, j job) headroomJSON {
	d := headroomJSON{Schema: "cellwarden.headroom/v1", Method: e.Method, Frame: e.Mix.Frame(), Mix: e.Mix.String(),
		Terms:    e.Terms,
		BitTimes: e.BitTimes, Wire: e.Wire, Cells: e.Cells, XOFF: e.XOFF, CellBytes: j.memory.Cell,
		Overhead: j.memory.Overhead, Covers: covers(e, j.link),
		Enough:   thresholds.WorstCaseOf(j.sizer, j.link, j.memory).Judge(e.Cells, j.memory.Cell),
		Readings: append([]thresholds.Reading{}, e.Readings...), Sums: e.Sums, Warnings: append([]string{}, e.Warnings...)}
	if e.XON > 0 || e.Size > 0 || e.Profile.Stated {
		d.XON, d.Size = &e.XON, &e.Size
	}
	if e.XONOffset > 0 {
		d.XONOffset = &e.XONOffset
	}
	return d
}

func headroomReport(e thresholds.Explanation, j job, explain bool) *report {
	r := &report{
		head:     append([]string{j.String(), headroomSum(e)}, sizeNotes(e, j)...),
		sections: []section{termSection(e, explain)},
	}
	if n := covers(e, j.link); n > 0 {
		r.head = append(r.head, fmt.Sprintf("covers %s m of cable by the sum of ieee802.1qbb", count(n)))
	}
	if len(e.Readings) > 0 {
		s := section{title: "In cells", columns: []string{"reading", "cells", "bytes", "", "how"}}
		for _, x := range e.Readings {
			used := ""
			if x.Used {
				used = "USED"
			}
			s.row(x.Name, count(x.Cells), count(x.Bytes), used, x.How)
		}
		r.sections = append(r.sections, s)
	}
	if len(e.Sums) > 1 {
		r.sections = append(r.sections, delaySumSection(e))
	}
	worst := thresholds.WorstFrame(j.memory, thresholds.WireBytes, j.link.LosslessMTU)
	r.foot = append(r.foot, fmt.Sprintf(
		"frames that take most cells for their time on the wire: %v, %d cells each %v", worst,
		j.memory.Cell.Packet(worst, j.memory.Overhead), worst+20))
	for _, w := range e.Warnings {
		r.foot = append(r.foot, "warning: "+w)
	}
	return r
}

// delaySumSection lists the ways to add up the delays of the ends.
func delaySumSection(e thresholds.Explanation) section {
	s := section{title: "Delays of both ends, in two readings", columns: []string{"reading", "bit times", "bytes", "cells",
		"", "how"}}
	for _, x := range e.Sums {
		used := ""
		if x.Used {
			used = "USED"
		}
		s.row(x.Name, count(x.BitTimes), count(x.Wire), count(x.Cells), used, x.How)
	}
	return s
}

// termSection lists the terms, with their parts if asked to explain.
func termSection(e thresholds.Explanation, explain bool) section {
	s := section{title: "Terms", columns: []string{"term", "bit times", "bytes", "source"}}
	if explain {
		s.columns = []string{"term", "bit times", "bytes", "kind", "source"}
	}
	var add func(terms []thresholds.Term, indent string)
	add = func(terms []thresholds.Term, indent string) {
		for _, t := range terms {
			times := number("-")
			if t.BitTimes > 0 {
				times = count(t.BitTimes)
			}
			if explain {
				s.row(indent+t.Name, times, count(t.Bytes), string(t.Kind), t.Source)
				add(t.Terms, indent+"  ")
				continue
			}
			source := t.Source
			if t.Kind == thresholds.Inferred {
				source = "INFERRED: " + source
			}
			s.row(t.Name, times, count(t.Bytes), source)
		}
	}
	add(e.Terms, "")
	if e.Wire > 0 && e.BitTimes > 0 {
		s.total = []any{"sum", count(e.BitTimes), count(e.Wire), ""}
	}
	return s
}

// headroomSum is the result in a line.
func headroomSum(e thresholds.Explanation) string {
	text := "method " + e.Method + ": "
	if e.BitTimes > 0 {
		text += fmt.Sprintf("%s bit times, ", count(e.BitTimes))
	}
	if e.Wire > 0 {
		text += fmt.Sprintf("%s bytes on the wire; ", count(e.Wire))
	}
	text += fmt.Sprintf("%s cells, xoff %s bytes", count(e.Cells), count(e.XOFF))
	if e.XON > 0 {
		text += fmt.Sprintf(", xon %s bytes", count(e.XON))
	}
	if e.Size > 0 {
		text += fmt.Sprintf(", size %s bytes", count(e.Size))
	}
	if mix := e.Mix.String(); mix != "" {
		text += ", filled with frames of " + mix
	}
	return text
}

// job is a request made of quantities.
type job struct {
	link   thresholds.Link
	memory thresholds.Memory
	sizer  thresholds.Sizer
}

// String says what is sized, in a line.
func (j job) String() string {
	over := fmt.Sprintf("%v of %v", j.link.Cable, j.link.Medium)
	if j.link.Delay > 0 {
		over = fmt.Sprintf("%v measured", j.link.Delay)
	}
	if j.link.Extra > 0 {
		over += fmt.Sprintf(" + %v", j.link.Extra)
	}
	if j.link.MACsec {
		over += " + MACsec"
	}
	if t, given := j.link.Response.Get(); given {
		over += fmt.Sprintf(", peer %v", t)
	}
	return fmt.Sprintf("%v over %s, MTU %v, lossless MTU %v, cells of %d bytes, %v stored with each packet",
		j.link.Rate, over, j.link.MTU, j.link.LosslessMTU, j.memory.Cell, j.memory.Overhead)
}

// job makes quantities of a request, with all complaints at once.
func (q request) job() (job, error) {
	var bad []error
	j := job{link: q.link(&bad)}
	j.memory = q.memory(&bad)
	j.sizer = q.sizer(&bad)
	return j, errors.Join(bad...)
}

// quantityOf parses the text under a key, the zero value if there is none.
func quantityOf[T any](q request, bad *[]error, key string, parse func(string) (T, error)) T {
	var zero T
	text, given := q.text[key]
	if !given {
		return zero
	}
	v, err := parse(text)
	if err != nil {
		*bad = append(*bad, fmt.Errorf("%s: %w", q.name(key), err))
		return zero
	}
	return v
}

func (q request) link(bad *[]error) thresholds.Link {
	l := thresholds.Link{
		Rate:        quantityOf(q, bad, "speed", unit.ParseBitRate),
		Cable:       quantityOf(q, bad, "cable", unit.ParseLength),
		Medium:      quantityOf(q, bad, "medium", thresholds.ParseMedium),
		Delay:       quantityOf(q, bad, "delay", unit.ParseTime),
		Extra:       quantityOf(q, bad, "extra_delay", unit.ParseTime),
		MACsec:      quantityOf(q, bad, "macsec", parseTruth),
		MTU:         quantityOf(q, bad, "mtu", unit.ParseBytes),
		LosslessMTU: quantityOf(q, bad, "lossless_mtu", unit.ParseBytes),
	}
	if q.has("response_delay") {
		l.Response = unit.Given(quantityOf(q, bad, "response_delay", unit.ParseTime))
	}
	if _, given := q.text["lossless_mtu"]; !given {
		l.LosslessMTU = l.MTU
	}
	for _, need := range [][]string{{"speed"}, {"cable", "delay"}} {
		if !q.has(need...) {
			*bad = append(*bad, fmt.Errorf("%s: needed", q.name(strings.Join(need, " or "))))
		}
	}
	return l
}

func (q request) memory(bad *[]error) thresholds.Memory {
	m := thresholds.Memory{
		Cell:     cells.Size(quantityOf(q, bad, "cell", unit.ParseBytes)),
		Overhead: quantityOf(q, bad, "overhead", unit.ParseBytes),
	}
	chip, given := q.text["chip"]
	switch {
	case given && q.has("cell"):
		return m
	case given:
		own, err := chipMemory(chip)
		if err != nil {
			*bad = append(*bad, err)
		}
		return own
	case !q.has("cell"):
		*bad = append(*bad, fmt.Errorf("%s or %s: one of them says how large a cell is", q.name("cell"),
			q.name("chip")))
	}
	return m
}

// chipMemory returns a chip's cells: of the catalogue, a chip file, or the
// chips that SONiC's formula knows beside.
func chipMemory(name string) (thresholds.Memory, error) {
	chip, err := loadCells(name)
	if err == nil {
		return chip.Memory(), nil
	}
	if c, known := method.LookupSONiCChip(name); known {
		return thresholds.Memory{Cell: c.Cell}, nil
	}
	return thresholds.Memory{}, err
}

func (q request) sizer(bad *[]error) thresholds.Sizer {
	var sizer thresholds.Sizer
	var err error
	if q.text["method"] == (&table.Table{}).Method() {
		sizer, err = q.table()
	} else {
		sizer, err = method.NewSizer(q.text["method"], q.text["chip"], q.options(false))
	}
	if err != nil {
		*bad = append(*bad, err)
	}
	return sizer
}

func (q request) table() (thresholds.Sizer, error) {
	file, err := os.Open(q.text["table"])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.name("table"), err)
	}
	defer file.Close()
	t, err := table.Read(q.text["table"], file)
	if err != nil {
		return nil, err
	}
	return t, nil
}
