package method_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// The model for a profile without parameters, at 100G.
func ExampleJuniper() {
	e, err := method.Juniper{}.Explain(thresholds.Link{Rate: 100 * unit.Gbps, Cable: 100 * unit.Metre, MTU: 9216,
		LosslessMTU: 2500}, broadcomTomahawk)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range e.Terms {
		fmt.Printf("%-18s %6d %s\n", t.Name, t.BitTimes, t.Kind)
	}
	fmt.Println(e.Wire, "on the wire")
	for _, w := range e.Warnings {
		fmt.Println(w)
	}
	// Output:
	// longest frame       73888 inferred
	// pause frame           672 inferred
	// cable, pause frame  50000 inferred
	// sender response    201728 inferred
	// MRU frame           20160 inferred
	// cable, last data    50000 inferred
	// 49556B on the wire
	// a model: Juniper publishes the inputs, MRU and cable length, but neither formula nor constants
}

// The model is the standard's sum without interface delays.
func TestJuniperIsTheSumWithoutInterfaces(t *testing.T) {
	for _, gbps := range []unit.BitRate{10, 25, 40, 100} {
		link := broadcomLink(gbps*unit.Gbps, 300*unit.Metre)
		model := vendorTerms(t, method.Juniper{MRU: unit.Given[unit.Bytes](9216)}, link, broadcomTomahawk)
		sum := vendorTerms(t, thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfTexts}}, link, broadcomTomahawk)
		require.Equal(t, sum.BitTimes-sum.Terms[2].BitTimes-sum.Terms[4].BitTimes, model.BitTimes)
		require.Len(t, model.Warnings, 1)
	}
}

func TestJuniperLinkAndRefusals(t *testing.T) {
	link := broadcomLink(100*unit.Gbps, 100*unit.Metre)
	e := vendorTerms(t, method.Juniper{}, link, broadcomTomahawk)
	require.Contains(t, e.Warnings[1], "MRU 2500B is under the link's lossless MTU 9216B")
	link.Cable, link.Delay, link.Extra = 0, unit.Given(200*unit.Nanosecond), 300*unit.Nanosecond
	measured := vendorTerms(t, method.Juniper{}, link, broadcomTomahawk)
	require.Equal(t, e.BitTimes, measured.BitTimes)
	require.Equal(t, thresholds.Measured, measured.Terms[2].Kind)

	require.ErrorContains(t, method.Juniper{MRU: unit.Given[unit.Bytes](5), Mix: thresholds.Frames(5)}.Validate(),
		"juniper refused: MRU 5B is not between 64B and 16384B; frames of 5B")
	_, err := method.Juniper{}.Size(broadcomLink(3200*unit.Gbps, 0), broadcomTomahawk)
	require.ErrorContains(t, err, "response time of 3.2T (want 10G")
	vendorRefusesInput(t, method.Juniper{})
	vendorAllocates(t, method.Juniper{}, broadcomTomahawk)
}

func BenchmarkJuniper(b *testing.B) { vendorBenchmark(b, method.Juniper{}, broadcomTomahawk) }

// A response that no sender has is refused: the sum would be no number.
func TestJuniperRefusesAResponseBeyondAnyLink(t *testing.T) {
	link := thresholds.Link{Rate: 100 * unit.Gbps, MTU: 9216, LosslessMTU: 4096}
	for _, bits := range []int64{-1, math.MaxInt64} {
		_, err := method.Juniper{Delays: thresholds.Delays{Response: []thresholds.RateDelay{{Rate: link.Rate,
			BitTimes: bits}}}}.Size(link, thresholds.Memory{Cell: 208})
		require.EqualError(t, err, fmt.Sprintf("juniper refused: response of %d bit times at 100G (want 0 to 1000000000000)",
			bits))
	}
}
