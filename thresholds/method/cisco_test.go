package method_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// From the book's 10 km to 15 km, in cells of 416 bytes.
func ExampleCiscoPractical() {
	m := method.CiscoPractical{From: unit.Given(10 * unit.Kilometre), BufferSize: unit.Given[unit.Bytes](166400)}
	link := thresholds.Link{Rate: 10 * unit.Gbps, Cable: 15 * unit.Kilometre, MTU: 9216, LosslessMTU: 2300}
	e, err := m.Explain(link, cloudScale)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range e.Terms {
		fmt.Printf("%-16s %7v\n", t.Name, t.Bytes)
	}
	fmt.Println("buffer-size", e.Size)
	for _, w := range e.Warnings {
		fmt.Println(w)
	}
	// Output:
	// footroom          19136B
	// hysteresis         1664B
	// headroom at 10km 145600B
	// cable beyond      62500B
	// buffer-size 228900B
	// buffer-size 228900B is not a multiple of the 416-byte cell: it must become 229216B (551 cells)
}

// How far the book's headrooms reach by the itemised sum.
func ExampleCoveredLength() {
	link := thresholds.Link{Rate: 10 * unit.Gbps, MTU: 9216, LosslessMTU: 2300}
	for _, headroom := range []unit.Bytes{83200, 145600, 208100} {
		length, err := method.CoveredLength(headroom, link, thresholds.SumOfTexts)
		fmt.Println(headroom, length, err)
	}
	// Output:
	// 83200B 5.25376km <nil>
	// 145600B 10.24576km <nil>
	// 208100B 15.24576km <nil>
}

func TestCiscoPracticalKnown(t *testing.T) {
	m := method.CiscoPractical{}
	e := vendorTerms(t, m, bookLink(10*unit.Gbps), cloudScale)
	require.EqualValues(t, 83200, e.XOFF)
	require.EqualValues(t, 200, e.Cells)
	require.EqualValues(t, 20800, e.XON)
	require.Equal(t, unit.Given[unit.Bytes](4*416), e.XONOffset)
	require.EqualValues(t, 104000, e.Size)
	require.Equal(t, e.Size, vendorSum(e))
	require.Empty(t, e.Warnings)
	require.EqualValues(t, 19136, m.Footroom())
	require.EqualValues(t, 1664, m.Hysteresis())
	require.EqualValues(t, 83200, m.Known())
	require.EqualValues(t, 145600, method.CiscoPractical{BufferSize: unit.Given[unit.Bytes](166400)}.Known())
	e = vendorTerms(t, m, bookLink(100*unit.Gbps), cloudScale)
	require.Contains(t, e.Warnings[0], "for 10G; only the cable is computed for 100G")
}

// From 100 m and the cable alone, 10 km need 123,750 bytes more than 83,200. The vendor's 145,600 bytes are 61,350
// less, and still more than the 142,528 of the sum: the default for 100 m is generous.
func TestCiscoPracticalMissesItsOwnSecondPoint(t *testing.T) {
	link := bookLink(10 * unit.Gbps)
	link.Cable = 10 * unit.Kilometre
	e := vendorTerms(t, method.CiscoPractical{}, link, cloudScale)
	require.EqualValues(t, 83200+123750, e.XOFF)
	vendor := vendorTerms(t, method.CiscoPractical{From: unit.Given(10 * unit.Kilometre),
		BufferSize: unit.Given[unit.Bytes](166400)}, link, cloudScale)
	require.EqualValues(t, 145600, vendor.XOFF)
	sum := vendorTerms(t, thresholds.IEEE{}, link, cloudScale)
	require.Less(t, sum.Wire, vendor.XOFF)
	require.Empty(t, vendor.Warnings)
}

func TestCiscoPracticalLink(t *testing.T) {
	link := bookLink(10 * unit.Gbps)
	size := func(m method.CiscoPractical) unit.Bytes {
		e := vendorTerms(t, m, link, cloudScale)
		require.Equal(t, e.Size, vendorSum(e))
		return e.XOFF
	}
	link.Cable, link.Delay = 0, unit.Given(500*unit.Nanosecond)
	require.EqualValues(t, 83200, size(method.CiscoPractical{}), "500 ns are 100 m")
	link.Extra = unit.Microsecond
	require.EqualValues(t, 83200+2500, size(method.CiscoPractical{}))
	link.Delay, link.Extra = unit.Optional[unit.Time]{}, 0
	require.EqualValues(t, 83200-1250, size(method.CiscoPractical{}), "a shorter cable takes off its delay")
	link.Cable, link.Medium = 300*unit.Metre, thresholds.Copper
	require.EqualValues(t, 83200+2380, size(method.CiscoPractical{}), "200 m of copper, both ways")

	link.Rate, link.Cable = 100*unit.Gbps, 100*unit.Metre
	_, err := method.CiscoPractical{From: unit.Given(10 * unit.Kilometre),
		BufferSize: unit.Given[unit.Bytes](166400)}.Size(link, cloudScale)
	require.ErrorContains(t, err, "no headroom remains")

	short := method.CiscoPractical{BufferSize: unit.Given[unit.Bytes](30000)}
	link.Rate = 40 * unit.Gbps
	e := vendorTerms(t, short, link, cloudScale)
	require.Contains(t, e.Warnings[len(e.Warnings)-1], "less than the itemised sum of ieee802.1qbb")
}

func TestCiscoPracticalRefuses(t *testing.T) {
	bad := method.CiscoPractical{From: unit.Given[unit.Length](-1), BufferSize: unit.Given[unit.Bytes](10),
		PauseThreshold: unit.Given[unit.Bytes](20), ResumeThreshold: unit.Given[unit.Bytes](30)}
	for _, want := range []string{"cisco-practical refused: known length",
		"pause-threshold 20B is under the resume-threshold 30B",
		"buffer-size 10B is not above the pause-threshold 20B"} {
		require.ErrorContains(t, bad.Validate(), want)
	}
	require.ErrorContains(t, method.CiscoPractical{ResumeThreshold: unit.Given[unit.Bytes](-1)}.Validate(),
		"resume-threshold -1B is negative")
	vendorRefusesInput(t, method.CiscoPractical{})
	vendorAllocates(t, method.CiscoPractical{}, cloudScale)
}

// At the covered length the sum fits; with one metre more it does not.
func TestCoveredLengthIsTheSumBackwards(t *testing.T) {
	for medium := thresholds.Fibre; medium <= thresholds.FibreNVIDIA; medium++ {
		for _, gbps := range []unit.BitRate{10, 25, 40, 100, 200, 400, 800} {
			link := thresholds.Link{Rate: gbps * unit.Gbps, Medium: medium, Extra: 7 * unit.Nanosecond, MTU: 9216,
				LosslessMTU: 4096}
			for _, headroom := range []unit.Bytes{1_000_000, 1_000_001, 5_000_000} {
				length, err := method.CoveredLength(headroom, link, thresholds.SumOfEnds)
				require.NoError(t, err)
				wire := func(cable unit.Length) unit.Bytes {
					link.Cable = cable
					h, err := thresholds.IEEE{}.Size(link, cloudScale)
					require.NoError(t, err)
					return h.Wire
				}
				require.LessOrEqual(t, wire(length), headroom, "%v %v", link.Rate, medium)
				require.Greater(t, wire(length+unit.Metre), headroom, "%v %v", link.Rate, medium)
			}
		}
	}
	_, err := method.CoveredLength(1000, bookLink(10*unit.Gbps), thresholds.SumOfTexts)
	require.ErrorContains(t, err, "headroom of 1000B is not between the 17528B that 10G needs without cable")
	_, err = method.CoveredLength(1000, bookLink(3200*unit.Gbps), thresholds.SumOfTexts)
	require.ErrorContains(t, err, "no source gives")
	far, err := method.CoveredLength(1<<30, bookLink(10*unit.Gbps), thresholds.SumOfTexts)
	require.NoError(t, err)
	require.Equal(t, thresholds.MaxCable, far)
}

func BenchmarkCiscoPractical(b *testing.B) {
	vendorBenchmark(b, method.CiscoPractical{}, cloudScale)
}

var cloudScale = thresholds.Memory{Cell: 416}

func bookLink(rate unit.BitRate) thresholds.Link {
	return thresholds.Link{Rate: rate, Cable: 100 * unit.Metre, MTU: 9216, LosslessMTU: 2300}
}
