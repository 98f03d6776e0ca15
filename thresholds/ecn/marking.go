package ecn

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// Thresholds is the marking profile of an egress queue. Up to KMin nothing is marked, from there to KMax a share that
// rises to PMax, above KMax everything. It is WRED's curve, and SAI's ECN_GREEN_MIN, _MAX and _MARK_PROBABILITY. The
// zero Thresholds marks nothing.
type Thresholds struct {
	KMin, KMax unit.Bytes
	PMax       unit.Percent
}

// Validate refuses thresholds out of order and probabilities above 100%.
func (e Thresholds) Validate() error {
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

// Marking returns the probability that a packet is marked at a queue depth, exactly: 0 up to KMin,
// PMax*(depth-KMin)/(KMax-KMin) up to and at KMax, 1 above. If KMin equals KMax it is a step. For a profile that
// Validate refuses the result is undefined. If the thresholds are more than 512 TiB apart, it is computed in coarser
// steps.
func (e Thresholds) Marking(depth unit.Bytes) exact.Ratio {
	switch {
	case e.KMax == 0 || depth <= e.KMin:
		return exact.Whole(0)
	case depth > e.KMax:
		return exact.Whole(1)
	}
	part, span := int64(depth-e.KMin), int64(e.KMax-e.KMin)
	for span > 1<<49 {
		part, span = part>>1, span>>1
	}
	return exact.Whole(part).Times(int64(e.PMax), int64(unit.Whole)).Times(1, span)
}

// FillLevel returns the depth in bytes at which marking or dropping begins, for a profile that gives it as a share of
// the queue's limit, as Junos does; rounded up.
func FillLevel(limit unit.Bytes, fill unit.Percent) unit.Bytes {
	return unit.Bytes(fill.Of(int64(limit)))
}
