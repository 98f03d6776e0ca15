package thresholds

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Alpha is the factor of a dynamic threshold as a power of two: a group may
// use 2^n times what the pool has left. It holds n, which is SAI's
// SHARED_DYNAMIC_TH and SONiC's dynamic_th; the zero Alpha is the factor 1.
// (Choudhury and Hahne, "Dynamic Queue Length Thresholds for Shared-Memory
// Packet Switches", 1998; SAI saibuffer.h.)
type Alpha int8

// The widest range that any known chip's table has; a chip's own is narrower.
const (
	MinAlpha Alpha = -10
	MaxAlpha Alpha = 10
)

// ParseAlpha reads the factor itself: "8", "1", "1/8". It must be a power of
// two between 2^MinAlpha and 2^MaxAlpha.
func ParseAlpha(text string) (Alpha, error) {
	whole, inverse := strings.CutPrefix(strings.TrimSpace(text), "1/")
	n, err := strconv.ParseUint(whole, 10, 32)
	if err != nil || bits.OnesCount64(n) != 1 || n > 1<<MaxAlpha {
		return 0, fmt.Errorf("%q is not an alpha: it must be a power of two from 1/%d to %d, such as 8, 1 or 1/8", text, 1<<-MinAlpha, 1<<MaxAlpha)
	}
	exp := Alpha(bits.TrailingZeros64(n))
	if inverse {
		exp = -exp
	}
	return exp, nil
}

// String prints the factor: "8", "1", "1/8".
func (a Alpha) String() string {
	if a < 0 {
		return "1/" + strconv.FormatUint(1<<-a, 10)
	}
	return strconv.FormatUint(1<<a, 10)
}

// DynamicTh returns n of 2^n, as SAI and SONiC write it.
func (a Alpha) DynamicTh() int { return int(a) }
