package driver

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
)

// Broadcom returns what Broadcom's check of a configuration finds in a pool whose
// guaranteed cells leave nothing to share. The wording is cellwarden's.
func Broadcom(r *buffer.Refusal) string {
	return fmt.Sprintf("pool of slice %d: no cells are left to share: %d are guaranteed or configured, %d are there",
		r.Slice, r.Needed, r.Available)
}
