package report

import (
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
