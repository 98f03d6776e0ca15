package main

import (
	"context"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/backend/sim"
)

// verifyBill simulates the worst case of a configuration and returns the verdict in words.
func verifyBill(ctx context.Context, b *audit.Bill) string {
	switch {
	case b == nil:
		return "not verified: the cells are not counted"
	case b.Undecided != "":
		return "not verified: " + b.Undecided
	case !b.Plan.Fits:
		return "not verified: it does not fit"
	}
	v, err := sim.Verify(ctx, b.Intent, b.Plan.Layout(), sim.VerifyOptions{})
	if err != nil {
		return "not verified: " + err.Error()
	}
	return string(v.Verdict)
}
