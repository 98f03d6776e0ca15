package thresholds

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// Alpha is the factor of a dynamic threshold: a group may use 2^n times the
// free cells of the pool. It holds n, which is SAI's SHARED_DYNAMIC_TH and
// SONiC's dynamic_th. The zero Alpha is the factor 1. (Choudhury and Hahne,
// "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", 1998;
// SAI saibuffer.h.)
type Alpha int8

// The widest range that any known chip's table has; a chip's own is narrower.
const (
	MinAlpha Alpha = -10
	MaxAlpha Alpha = 10
)

// ParseAlpha reads the factor: "8", "1", "1/8". It must be a power of two from
// 2^MinAlpha to 2^MaxAlpha.
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
func (a Alpha) Share() Fraction {
	num, den := a.Ratio()
	return FractionOf(num, num+den)
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

// BroadcomAlphaCode converts the alpha code of the limit registers on Trident
// 2, Tomahawk, Tomahawk 2 to 4 and Trident 3: 0 is 1/128, each code doubles the
// factor, 10 is 8. Other codes are refused. The codes of the first Trident
// begin at 1/64 and are not meant. (OpenBCM.)
func BroadcomAlphaCode(code int) (Alpha, error) {
	if code < 0 || code > 10 {
		return 0, fmt.Errorf("%d is not a Broadcom alpha code (accepted: 0 for 1/128 to 10 for 8)", code)
	}
	return Alpha(code - 7), nil
}

// BroadcomCode returns the hardware's code for the alpha; false for an alpha
// that these chips do not have, outside 1/128 to 8.
func (a Alpha) BroadcomCode() (int, bool) { return int(a) + 7, a >= -7 && a <= 3 }

// broadcomEnum is the order of the SDK's enumeration, to which values were
// appended.
var broadcomEnum = [...]Alpha{-6, -5, -4, -3, -2, -1, 0, 1, 2, -7, 3}

// BroadcomAlphaEnum converts a value of the SDK's interface, whose order is not
// the hardware's: 0 is 1/64, 8 is 4, 9 is 1/128 and 10 is 8. Others are
// refused. (OpenBCM, include/bcm/cosq.h.)
func BroadcomAlphaEnum(value int) (Alpha, error) {
	if value < 0 || value >= len(broadcomEnum) {
		return 0, fmt.Errorf("%d is not an alpha of Broadcom's SDK (accepted: 0 to %d)", value, len(broadcomEnum)-1)
	}
	return broadcomEnum[value], nil
}

// BroadcomEnum returns the SDK's value for the alpha; false for an alpha
// outside 1/128 to 8.
func (a Alpha) BroadcomEnum() (int, bool) {
	for value, known := range broadcomEnum {
		if known == a {
			return value, true
		}
	}
	return 0, false
}

// SpectrumAlphaIndex converts the index in the shared-buffer registers of
// NVIDIA's Spectrum chips: 0 allows nothing, 1 to 14 are 1/128 to 64, 0xff is
// no limit. Others are refused. Linux devlink shows 1 to 14 as 3 to 16. (mlxsw,
// spectrum_buffers.c.)
func SpectrumAlphaIndex(index int) (Limit, error) {
	switch {
	case index == 0:
		return Static(0), nil
	case index >= 1 && index <= 14:
		return Dynamic(Alpha(index - 8)), nil
	case index == 0xff:
		return Unlimited(), nil
	}
	return Limit{}, fmt.Errorf(
		"%d is not a Spectrum alpha index (accepted: 0, 1 for 1/128 to 14 for 64, 255 for no limit)", index)
}

// SpectrumDynamicTh converts SAI's SHARED_DYNAMIC_TH as NVIDIA's implementation
// does: -7 to 6 are 1/128 to 64, lower values allow nothing, higher values are
// no limit. (Mellanox SAI-Implementation, mlnx_sai_buffer.c.)
func SpectrumDynamicTh(n int) Limit {
	switch {
	case n < -7:
		return Static(0)
	case n > 6:
		return Unlimited()
	}
	return Dynamic(Alpha(n))
}

// DellWeight is a row of Dell OS9's table of threshold weights. The command
// takes the weight; the manual prints the share.
type DellWeight struct {
	Weight  int // 1 to 9
	Alpha   Alpha
	Printed unit.Percent // of the available shared buffer, as the manual prints it
}

// dellPrinted is the column of shares in the manual. It is alpha/(1+alpha)
// rounded to hundredths, except for the first: 100/129 is 0.7752 and the manual
// has 0.77.
var dellPrinted = [...]unit.Percent{77, 154, 303, 588, 1111, 2000, 3333, 5000, 6667}

// DellWeights returns the table. Weight w is the alpha 2^(w-8), and the printed
// shares equal [Alpha.Share] to within a hundredth of a percent. (Dell
// PowerSwitch S6000 command reference, OS9; the default weight is 9.)
func DellWeights() []DellWeight {
	table := make([]DellWeight, len(dellPrinted))
	for i, printed := range dellPrinted {
		table[i] = DellWeight{i + 1, Alpha(i + 1 - 8), printed}
	}
	return table
}

// DellWeightAlpha returns the alpha of a weight. Weights other than 1 to 9 are
// refused.
func DellWeightAlpha(weight int) (Alpha, error) {
	if weight < 1 || weight > len(dellPrinted) {
		return 0, fmt.Errorf("%d is not a Dell threshold weight (accepted: 1 to %d)", weight, len(dellPrinted))
	}
	return Alpha(weight - 8), nil
}
