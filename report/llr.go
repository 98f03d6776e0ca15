package report

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

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

// Add adds the replay buffer of one link.
func (d *LLRDocument) Add(l thresholds.Link, r cbfc.Replay) {
	to := unnamed.Add(&d.Links)
	to.Speed, to.Path = l.Rate, l.Path()
	to.Frames, to.Bytes, to.Frame, to.Timer = r.Frames, r.Bytes, r.Frame, r.Timer
	to.Notes, to.Terms = append([]string{}, r.Limits()...), r.Terms
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

// FittedReplayTable returns the document of the lines of a table of replay buffers, and of its rows.
func FittedReplayTable(fits []cbfc.ReplayFit, rows []cbfc.NewReplayRow) LLRTableDocument {
	d := LLRTableDocument{Schema: Schema("llr-table")}
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
		to.Speed, to.Cable, to.Values = int64(r.Rate/unit.Mbps), Metres(r.Cable), map[string]string{}
		for c := range cbfc.Columns {
			if r.Values[c].IsGiven() {
				to.Values[c.String()] = r.Text(c)
			}
		}
		to.FromTable, to.Notes = r.FromTable, append([]string{}, r.Notes...)
	}
	return d
}
