package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/intent"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/report"
)

// verifyResult simulates the worst case of a configuration and returns the verdict in words. It is that of the topology
// which import writes, so that verify says the same of it; of a configuration that cannot be imported it is that of the
// lossless ports alone. It never fails the audit: what cannot be simulated is said in its place.
func verifyResult(ctx context.Context, r *audit.Result) string {
	switch {
	// Bill is nil where the cells cannot be counted. Undecided is why it is not known whether all ports fit.
	case r.Bill == nil:
		return "not verified: the cells are not counted"
	case r.Bill.Undecided != "":
		return "not verified: " + r.Bill.Undecided
	}
	in, plan := r.Bill.Intent, r.Bill.Plan
	// The bill has what the cells rest on; the topology has more, such as queues and the DSCPs of classes.
	if imported, err := intent.Of(r); err == nil {
		in, plan = imported.Intent, imported.Plan
	}
	return verifyPlan(ctx, in, plan)
}

// verifyPlan simulates the worst case of a plan and returns the verdict in words. The options are the zero ones, which
// are the standard's worst case.
func verifyPlan(ctx context.Context, in buffer.Intent, plan *buffer.Plan) string {
	if !plan.Fits {
		return "not verified: it does not fit"
	}
	// An interruption is an error, too, and then the word is not verified.
	v, err := sim.Verify(ctx, in, plan.Layout(), sim.VerifyOptions{})
	if err != nil {
		return "not verified: " + err.Error()
	}
	return verdictText(v)
}

// verdictText is a verdict with the frames and the conditions for which it holds. It has the conditions in the text,
// because a table has no other place for them.
func verdictText(v *report.Verification) string {
	conditions := strings.Join(v.Conditions, ", and ")
	switch v.Verdict {
	// Verdicts without conditions or lengths are their own text.
	case report.LosslessIf:
		return "lossless if " + conditions
	case report.LosslessFrames:
		text := fmt.Sprintf("lossless for frames of %v and more", v.Sufficient.Frames)
		if conditions != "" {
			text += ", if " + conditions
		}
		return text
	}
	return string(v.Verdict)
}
