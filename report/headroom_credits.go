package report

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

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
