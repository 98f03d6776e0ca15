package thresholds

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/exact"
)

// Alpha is the factor of a dynamic threshold: a group may use 2^n times the free cells of the pool. It holds n, which
// is SAI's SHARED_DYNAMIC_TH and SONiC's dynamic_th. The zero Alpha is the factor 1. (Choudhury and Hahne, "Dynamic
// Queue Length Thresholds for Shared-Memory Packet Switches", 1998; SAI saibuffer.h.)
type Alpha int8

// The widest range that any known chip's table has; a chip's own is narrower.
const (
	MinAlpha Alpha = -10
	MaxAlpha Alpha = 10
)

// ParseAlpha reads the factor: "8", "1", "1/8". It must be a power of two from 2^MinAlpha to 2^MaxAlpha.
func ParseAlpha(text string) (Alpha, error) {
	whole, inverse := strings.CutPrefix(strings.TrimSpace(text), "1/")
	n, err := strconv.ParseUint(whole, 10, 32)
	if err != nil || bits.OnesCount64(n) != 1 || n > 1<<MaxAlpha {
		return 0, fmt.Errorf("%q is not an alpha: it must be a power of two from 1/%d to %d, such as 8, 1 or 1/8",
			text, 1<<-MinAlpha, 1<<MaxAlpha)
	}
	exp := Alpha(bits.TrailingZeros64(n))
	if inverse {
		exp = -exp
	}
	return exp, nil
}

// String returns the factor: "8", "1", "1/8".
func (a Alpha) String() string {
	if a < 0 {
		return "1/" + strconv.FormatUint(1<<-a, 10)
	}
	return strconv.FormatUint(1<<a, 10)
}

// DynamicTh returns n, as SAI and SONiC write it.
func (a Alpha) DynamicTh() int { return int(a) }

// Share returns alpha/(1+alpha): the part of the pool that a group gets when no
// other group uses it (Choudhury and Hahne 1998).
func (a Alpha) Share() exact.Ratio {
	num, den := a.Ratio()
	return exact.Of(num, num+den)
}

// Ratio returns the factor as a fraction. Either num or den is 1.
func (a Alpha) Ratio() (num, den int64) {
	if a < 0 {
		return 1, 1 << -a
	}
	return 1 << a, 1
}

// Valid tells whether the alpha is in the range of MinAlpha to MaxAlpha.
func (a Alpha) Valid() bool { return a >= MinAlpha && a <= MaxAlpha }
