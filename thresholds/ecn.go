package thresholds

import (
	"fmt"

	"github.com/cellwarden/cellwarden/unit"
)

// ECN is a marking profile of an egress queue: below KMin nothing is marked,
// between KMin and KMax a share that rises to PMax, above KMax everything.
// The zero ECN marks nothing.
type ECN struct {
	KMin, KMax unit.Bytes
	PMax       unit.Percent
}

// Validate refuses thresholds that are out of order and probabilities beyond
// one; a typing error here has crashed switch software before.
func (e ECN) Validate() error {
	switch {
	case e.KMin < 0 || e.KMax < e.KMin:
		return fmt.Errorf("ecn kmin %v, kmax %v: kmin must not be above kmax", e.KMin, e.KMax)
	case e.KMax > 0 && (e.PMax <= 0 || e.PMax > unit.Whole):
		return fmt.Errorf("ecn pmax %v: it must be above 0%% and at most 100%%", e.PMax)
	case e.KMax == 0 && e.PMax != 0:
		return fmt.Errorf("ecn pmax %v without a kmax: nothing would be marked", e.PMax)
	}
	return nil
}
