package report

import (
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
)

// WatchSchema names the form of a WatchDocument.
const WatchSchema = "cellwarden.watch/v1"

// WatchDocument is what the counters of a switch say of a plan. A number that is not known is null, which is
// not zero.
type WatchDocument struct {
	Schema string `json:"schema"`
	// Verdict is "findings", "no-finding", or "unknown" if nothing is known of any group. "no-finding" says
	// nothing of what NotChecked lists.
	Verdict string `json:"verdict"`
	Source  string `json:"source"` // the switch, or the files
	// Set is the changes of the topology with which the plan was made.
	Set []string `json:"set,omitempty"`
	// IntervalUS is the time between two readings. Counters are then differences; null: they are those since the
	// switch began or was cleared, or the time is not known.
	IntervalUS *int64         `json:"interval_us" jsonschema:"oneof_type=integer;null"`
	Groups     []WatchGroup   `json:"groups"`                  // the lossless groups of the plan
	Pool       *WatchPool     `json:"headroom_pool,omitempty"` // absent: the plan has no shared headroom pool
	Findings   []WatchFinding `json:"findings"`                // the most serious first
	NotChecked []string       `json:"not_checked"`
}

// WatchGroup is a lossless group of the plan and what the switch has counted for it.
type WatchGroup struct {
	Port  string `json:"port"`
	Group int    `json:"group"`
	Class string `json:"class"`
	// State is a kind of finding, or "unknown", "never used", "in use", "pause without loss", "pause, loss unknown".
	State    string     `json:"state"`
	Granted  unit.Bytes `json:"headroom_granted_bytes"`
	Headroom *int64     `json:"headroom_watermark_bytes" jsonschema:"oneof_type=integer;null"`
	// Share is the part of what is granted, in hundredths of a percent.
	Share  *int64 `json:"headroom_used_bp" jsonschema:"oneof_type=integer;null"`
	Shared *int64 `json:"shared_watermark_bytes" jsonschema:"oneof_type=integer;null"`
	// Total is the watermark of a switch that does not tell headroom and shared apart.
	Total    *int64 `json:"watermark_bytes" jsonschema:"oneof_type=integer;null"`
	Drops    *int64 `json:"dropped_packets" jsonschema:"oneof_type=integer;null"`
	Sent     *int64 `json:"pause_sent_frames" jsonschema:"oneof_type=integer;null"`
	Received *int64 `json:"pause_received_frames" jsonschema:"oneof_type=integer;null"`
	// Storms are those that the switch's own PFC watchdog has detected.
	Storms *int64 `json:"storms_detected" jsonschema:"oneof_type=integer;null"`
}

// WatchPool is the shared headroom pool.
type WatchPool struct {
	Granted   unit.Bytes `json:"granted_bytes"`
	Watermark *int64     `json:"watermark_bytes" jsonschema:"oneof_type=integer;null"`
}

// WatchFinding is a fault that the counters show.
type WatchFinding struct {
	Kind     string          `json:"kind"`
	Port     string          `json:"port"` // empty: the shared headroom pool
	Group    int             `json:"group"`
	Evidence []WatchEvidence `json:"evidence"`
	Advice   string          `json:"advice"`
}

// WatchEvidence is a number of a finding.
type WatchEvidence struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Unit  string `json:"unit"` // "frames", "packets", "bytes", "storms", or "bp": hundredths of a percent
}

// Watch returns the document of an assessment. interval is the time between its two samples.
func Watch(source string, interval unit.Optional[unit.Time], a diagnosis.Assessment) WatchDocument {
	out := WatchDocument{Schema: WatchSchema, Verdict: "unknown", Source: source, Groups: []WatchGroup{},
		Findings: []WatchFinding{}, NotChecked: append([]string{}, a.NotChecked...)}
	if t, known := interval.Get(); known {
		out.IntervalUS = new(int64(t / unit.Microsecond))
	}
	for _, u := range a.Uses {
		if u.State != diagnosis.NotKnown || u.Drops.IsGiven() || u.PauseSent.IsGiven() {
			out.Verdict = "no-finding"
		}
		out.Groups = append(out.Groups, WatchGroup{Port: u.Port, Group: u.Group, Class: u.Class, State: string(u.State),
			Granted: u.Grant.Headroom, Headroom: whole(u.Headroom), Share: whole(u.Share), Shared: whole(u.Shared),
			Total: whole(u.Total), Drops: whole(u.Drops), Sent: whole(u.PauseSent), Received: whole(u.PauseReceived),
			Storms: whole(u.Storms)})
	}
	if size, has := a.PoolGranted.Get(); has {
		out.Pool = &WatchPool{size, whole(a.Pool)}
	}
	for _, f := range a.Findings {
		out.Verdict = "findings"
		w := WatchFinding{Kind: string(f.Code), Port: f.Port, Group: f.Class, Advice: f.Repair, Evidence: []WatchEvidence{}}
		for _, n := range f.Evidence {
			w.Evidence = append(w.Evidence, WatchEvidence(n))
		}
		out.Findings = append(out.Findings, w)
	}
	return out
}

// whole is a number of JSON; nil if it is not known.
func whole[T ~int64](v unit.Optional[T]) *int64 {
	n, known := v.Get()
	if !known {
		return nil
	}
	return new(int64(n))
}
