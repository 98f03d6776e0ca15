package report

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// HeadroomDocument is the headroom of one link as it is published. Values that the method does not
// compute are left out.
type HeadroomDocument struct {
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
	// Covers is the length of cable that the headroom covers by the standard's sum, to the nearest metre.
	Covers int64 `json:"covers_m,omitempty"`
	// Enough says whether the headroom is enough for the worst case of verify.
	Enough   thresholds.Sufficiency `json:"enough"`
	Readings []thresholds.Reading   `json:"readings"`
	// Sums are the ways to add up the delays of both ends. One of them is used.
	Sums     []thresholds.SumReading `json:"delay_sums,omitempty"`
	Warnings []string                `json:"warnings"`
}

// Headroom returns the document of what a sizer computed for a link and a memory.
func Headroom(e thresholds.Explanation, s thresholds.Sizer, l thresholds.Link, m thresholds.Memory) HeadroomDocument {
	d := HeadroomDocument{Schema: Schema("headroom"), Method: e.Method, Frame: e.Mix.Frame(), Mix: e.Mix.String(),
		Terms: e.Terms, BitTimes: e.BitTimes, Wire: e.Wire, Cells: e.Cells, XOFF: e.XOFF, CellBytes: m.Cell,
		Overhead: m.Overhead, Covers: Covers(e, l), Enough: thresholds.WorstCaseOf(s, l, m).Judge(e.Cells, m.Cell),
		Readings: append([]thresholds.Reading{}, e.Readings...), Sums: e.Sums, Warnings: append([]string{}, e.Warnings...)}
	if e.XON > 0 || e.Size > 0 || e.Profile.Stated {
		d.XON, d.Size = &e.XON, &e.Size
	}
	if offset, ok := e.XONOffset.Get(); ok {
		d.XONOffset = &offset
	}
	return d
}

// Covers returns the whole metres of cable that a headroom covers by the standard's
// sum, for the method that has no sum of its own; otherwise 0.
func Covers(e thresholds.Explanation, l thresholds.Link) int64 {
	if e.Method != (method.CiscoPractical{}).Method() {
		return 0
	}
	length, err := method.CoveredLength(e.Size-e.XON, l, thresholds.SumOfEnds)
	if err != nil {
		return 0
	}
	return int64(length / unit.Metre) // one metre more is not covered
}

// HeadroomCompareDocument is the headroom of one link by every sizing method.
type HeadroomCompareDocument struct {
	Schema  string             `json:"schema"`
	Chip    string             `json:"chip"`    // empty: none is given
	Results []HeadroomDocument `json:"results"` // of methods that are made for the chip
	Others  []HeadroomDocument `json:"not_made_for_chip"`
	// Refused are the methods that cannot size the link.
	Refused []struct {
		Method  string `json:"method"`
		ForChip bool   `json:"made_for_chip"`
		Why     string `json:"why"`
	} `json:"refused"`
}

// HeadroomCreditsDocument is the headroom of PFC beside the credits of CBFC and of Fibre Channel, on the same links.
type HeadroomCreditsDocument struct {
	Schema         string       `json:"schema"`
	Cell           cells.Size   `json:"cell_bytes"`
	Overhead       unit.Bytes   `json:"overhead_bytes"`
	CreditSize     unit.Bytes   `json:"credit_bytes"`
	CreditOverhead unit.Bytes   `json:"credit_overhead_bytes"`
	Frame          unit.Bytes   `json:"frame_bytes"`
	Links          []CreditLink `json:"links"`
}

// CreditLink is one link by each way of losing no frame.
type CreditLink struct {
	Speed unit.BitRate `json:"speed"`
	Path  string       `json:"path"`
	PFC   struct {
		BitTimes int64       `json:"bit_times"`
		Headroom cells.Count `json:"headroom_cells"`
		Full     cells.Count `json:"full_rate_cells"` // headroom, and what is stored at the resume (inferred)
	} `json:"pfc"`
	CBFC struct {
		BitTimes int64             `json:"bit_times"`
		Frames   int64             `json:"frames"`
		Credits  cbfc.Credits      `json:"full_rate_credits"`
		Least    cbfc.Credits      `json:"least_credits"` // fewer lose rate for good
		Cells    cells.Count       `json:"full_rate_cells"`
		Fits     bool              `json:"fits_20_bits"`
		Rate     unit.Percent      `json:"rate_at_largest_limit"` // of the speed; a lower bound if it does not fit
		Terms    []thresholds.Term `json:"terms"`
	} `json:"cbfc"`
	Fibre struct {
		Credits int64       `json:"full_rate_credits"`
		Cells   cells.Count `json:"full_rate_cells"`
	} `json:"buffer_to_buffer"`
}

// Compare fills the document: it compares the ways on links of each rate over each cable; all else is as c says.
func (d *HeadroomCreditsDocument) Compare(c cbfc.Channel, rates []unit.BitRate, cables []unit.Length) error {
	*d = HeadroomCreditsDocument{Schema: Schema("headroom-credits"), Cell: c.Memory.Cell, Overhead: c.Memory.Overhead,
		Links: []CreditLink{}}
	for _, c.Link.Rate = range rates {
		for _, c.Link.Cable = range cables {
			b, err := cbfc.Compare(c)
			if err != nil {
				return err
			}
			d.CreditSize, d.CreditOverhead = b.Credits.Account.Credit, b.Credits.Account.Overhead
			d.Frame = b.Credits.Frame
			d.Links = append(d.Links, creditLink(c.Link, b))
		}
	}
	return nil
}

func creditLink(l thresholds.Link, b cbfc.Beside) CreditLink {
	out := CreditLink{Speed: l.Rate, Path: l.Path()}
	out.PFC.BitTimes, out.PFC.Headroom, out.PFC.Full = b.Headroom.BitTimes, b.Headroom.Cells, b.Full()
	s, to := &b.Credits, &out.CBFC
	to.BitTimes, to.Frames, to.Credits, to.Least, to.Cells = s.BitTimes, s.Frames, s.Credits, s.Least, s.Cells
	to.Fits, to.Rate, to.Terms = s.Credits <= cbfc.MaxLimit, s.Rate, s.Terms
	out.Fibre.Credits, out.Fibre.Cells = b.Fibre.Credits, b.Fibre.Cells
	return out
}

// FitDocument is a vendor's headroom table as a line for each speed, with rows for other cable lengths.
type FitDocument struct {
	Schema string     `json:"schema"`
	Cell   cells.Size `json:"cell_bytes"`     // 0: unknown
	Grain  unit.Bytes `json:"rounding_bytes"` // rows are rounded up to a multiple of it
	Fits   []struct {
		Speed       int64             `json:"speed_mbps"`
		Base        unit.Bytes        `json:"base_bytes"`
		PerMetre    table.Thousandths `json:"bytes_per_m"`
		MaxResidual table.Thousandths `json:"max_residual_percent"`
		Reading     string            `json:"reading"` // the likely meaning of the slope
	} `json:"fits"`
	Rows []struct {
		Speed     int64       `json:"speed_mbps"`
		Cable     Metres      `json:"cable_m"`
		Size      unit.Bytes  `json:"size_bytes"`
		XON       unit.Bytes  `json:"xon_bytes"`
		XOFF      unit.Bytes  `json:"xoff_bytes"`
		XONOffset *unit.Bytes `json:"xon_offset_bytes"` // null: the table has no such column
		Alpha     string      `json:"alpha"`            // the factor: "8", "1/8"
		DynamicTh int         `json:"dynamic_th"`
		FromTable bool        `json:"from_table"`
		Notes     []string    `json:"notes"`
	} `json:"rows"`
}

// FittedTable returns the document of the lines of a headroom table and of rows that were computed by them. cell is the
// size of a cell, 0 if it is not known.
func FittedTable(fits []table.Fit, rows []table.NewRow, cell cells.Size, grain unit.Bytes) FitDocument {
	d := FitDocument{Schema: Schema("fit"), Cell: cell, Grain: grain}
	lines := unnamed.List(&d.Fits, len(fits))
	for i, f := range fits {
		to := &lines[i]
		to.Speed, to.Base, to.PerMetre = int64(f.Rate/unit.Mbps), f.Base, f.PerMetre
		to.MaxResidual, to.Reading = f.MaxResidual, f.Reading
	}
	list := unnamed.List(&d.Rows, len(rows))
	for i, row := range rows {
		to := &list[i]
		to.Speed, to.Cable = int64(row.Rate/unit.Mbps), Metres(row.Cable)
		to.Size, to.XON, to.XOFF = row.Size, row.XON, row.XOFF
		if offset, given := row.XONOffset.Get(); given {
			to.XONOffset = &offset
		}
		to.Alpha, to.DynamicTh = row.Alpha.String(), row.Alpha.DynamicTh()
		to.FromTable, to.Notes = row.FromTable, append([]string{}, row.Notes...)
	}
	return d
}

// LLRDocument is the replay buffers of link-layer retry (LLR) that keep links full.
type LLRDocument struct {
	Schema  string     `json:"schema"`
	MTU     unit.Bytes `json:"mtu_bytes"`
	Spacing unit.Bytes `json:"ctlos_spacing_bytes"`
	Links   []struct {
		Speed  unit.BitRate      `json:"speed"`
		Path   string            `json:"path"`
		Frames int64             `json:"outstanding_frames"` // of 64 bytes
		Bytes  unit.Bytes        `json:"outstanding_bytes"`
		Frame  unit.Bytes        `json:"frame_bytes"`     // the length that needs the most bytes
		Timer  unit.Time         `json:"replay_timer_ps"` // a shorter one repeats frames that have arrived
		Notes  []string          `json:"notes"`
		Terms  []thresholds.Term `json:"terms"`
	} `json:"links"`
}

// LLRTableDocument is a table of replay buffers (llr_profile_lookup.ini) as a line for each speed, with rows for other
// cable lengths.
type LLRTableDocument struct {
	Schema string `json:"schema"`
	Fits   []struct {
		Speed    int64             `json:"speed_mbps"`
		Base     unit.Bytes        `json:"base_bytes"`
		PerMetre table.Thousandths `json:"bytes_per_m"`
		Residual table.Thousandths `json:"max_residual_percent"`
		Doubt    string            `json:"doubt"` // why it gives no rows; empty: it does
	} `json:"fits"`
	Rows []struct {
		Speed     int64             `json:"speed_mbps"`
		Cable     Metres            `json:"cable_m"`
		Values    map[string]string `json:"values"` // by column; a value that is not set is absent
		FromTable bool              `json:"from_table"`
		Notes     []string          `json:"notes"`
	} `json:"rows"`
}
