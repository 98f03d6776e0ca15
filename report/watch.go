package report

import (
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/unit"
)

// WatchDocument is what the counters of a switch say of a plan. A number that is not known is null, which is not zero.
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
	IntervalUS *int64 `json:"interval_us" jsonschema:"oneof_type=integer;null"`
	// Groups are the lossless groups of the plan, with what the switch has counted for each.
	Groups []struct {
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
	} `json:"groups"`
	Pool *struct {
		Granted   unit.Bytes `json:"granted_bytes"`
		Watermark *int64     `json:"watermark_bytes" jsonschema:"oneof_type=integer;null"`
	} `json:"headroom_pool,omitempty"` // absent: the plan has no shared headroom pool
	// Findings are faults that the counters show, the most serious first.
	Findings []struct {
		Kind     string `json:"kind"`
		Port     string `json:"port"` // empty: the shared headroom pool
		Group    int    `json:"group"`
		Evidence []struct {
			Name  string `json:"name"`
			Value int64  `json:"value"`
			Unit  string `json:"unit"` // "frames", "packets", "bytes", "storms", or "bp": hundredths of a percent
		} `json:"evidence"`
		Advice string `json:"advice"`
	} `json:"findings"`
	NotChecked []string `json:"not_checked"`
}

// Watch returns the document of an assessment. interval is the time between its two samples.
func Watch(source string, interval unit.Optional[unit.Time], a diagnosis.Assessment) WatchDocument {
	out := WatchDocument{Schema: Schema("watch"), Verdict: "unknown", Source: source,
		NotChecked: append([]string{}, a.NotChecked...)}
	groups, findings := unnamed.List(&out.Groups, len(a.Uses)), unnamed.List(&out.Findings, len(a.Findings))
	if t, known := interval.Get(); known {
		out.IntervalUS = new(int64(t / unit.Microsecond))
	}
	for i, u := range a.Uses {
		if u.State != diagnosis.NotKnown || u.Drops.IsGiven() || u.PauseSent.IsGiven() {
			out.Verdict = "no-finding"
		}
		g := &groups[i]
		g.Port, g.Group, g.Class, g.State, g.Granted = u.Port, u.Group, u.Grant.Class, string(u.State), u.Grant.Headroom
		g.Headroom, g.Share, g.Shared, g.Total = whole(u.Headroom), whole(u.Share), whole(u.Shared), whole(u.Total)
		g.Drops, g.Sent, g.Received, g.Storms = whole(u.Drops), whole(u.PauseSent), whole(u.PauseReceived), whole(u.Storms)
	}
	if size, has := a.PoolGranted.Get(); has {
		pool := unnamed.New(&out.Pool)
		pool.Granted, pool.Watermark = size, whole(a.Pool)
	}
	for i, f := range a.Findings {
		out.Verdict = "findings"
		w := &findings[i]
		w.Kind, w.Port, w.Group, w.Advice = string(f.Code), f.Port, f.Class, f.Repair
		evidence := unnamed.List(&w.Evidence, len(f.Evidence))
		for j, n := range f.Evidence {
			evidence[j].Name, evidence[j].Value, evidence[j].Unit = n.Name, n.Value, n.Unit
		}
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
