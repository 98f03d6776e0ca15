package docs_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// separated prints a number with commas.
func separated(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", separated(n/1000), n%1000)
}

// The numbers in the text of headroom.md are computed here, one after another.
func TestNumbersOfHeadroom(t *testing.T) {
	data, err := os.ReadFile("headroom.md")
	require.NoError(t, err)
	page := string(data)
	says := func(format string, args ...any) {
		t.Helper()
		require.Contains(t, page, fmt.Sprintf(format, args...))
	}
	size := func(s thresholds.Sizer, l thresholds.Link, m thresholds.Memory) thresholds.Headroom {
		t.Helper()
		h, err := s.Size(l, m)
		require.NoError(t, err)
		return h
	}

	// The worked example, and its three conversions.
	book := thresholds.Link{Rate: 10 * unit.Gbps, Cable: 100 * unit.Metre, MTU: 9216, LosslessMTU: 2300}
	cloud := thresholds.Memory{Cell: 416}
	e, err := thresholds.IEEE{}.Explain(book, cloud)
	require.NoError(t, err)
	says("give %s BT, which are %s bytes", separated(e.BitTimes), separated(int64(e.Wire)))
	require.Len(t, e.Readings, 3)
	for i, how := range []string{"| expansion |", "| whole frames |", "| frames with gap |"} {
		require.Regexp(t, fmt.Sprintf(`(?m)^\| [a-z ]+ \| .* \| %d \| %s \|$`, e.Readings[i].Cells,
			separated(int64(e.Readings[i].Bytes))), page, how)
	}

	// The delays by speed, and the two sums of both ends.
	for _, rate := range []unit.BitRate{10, 25, 40, 50, 100, 200, 400, 800, 1600} {
		rate *= unit.Gbps
		l := thresholds.Link{Rate: rate, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
		e, err := thresholds.IEEE{}.Explain(l, memory)
		require.NoError(t, err)
		require.Regexp(t, fmt.Sprintf(`(?m)^\| %v \| %s( inferred from [0-9]+G)? \| %s( inferred)? \|`, rate,
			separated(e.Terms[2].BitTimes), separated(e.Terms[5].BitTimes/512)), page)
		if rate > 400*unit.Gbps {
			continue
		}
		both, err := thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfEnds}}.LinkDelays(l)
		require.NoError(t, err)
		require.Regexp(t, fmt.Sprintf(`(?m)^\| %v \| %s \| %s \|$`, rate,
			separated(2*e.Terms[2].BitTimes+e.Terms[5].BitTimes), separated(2*both.Interface+both.Response)), page)
	}
	sums := func(rate unit.BitRate) (texts, ends int64) {
		l := thresholds.Link{Rate: rate, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
		ends = size(thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfEnds}}, l, memory).BitTimes
		return size(thresholds.IEEE{}, l, memory).BitTimes, ends
	}
	texts, ends := sums(25 * unit.Gbps)
	says("the first sum is %d %% too small for a link of the second kind", ((ends-texts)*200+texts)/(2*texts))
	texts, ends = sums(400 * unit.Gbps)
	require.InDelta(t, 1.0/3, float64(texts-ends)/float64(texts), 0.01, "a third too large, of the sum itself")

	// What cannot be enough.
	far := thresholds.Link{Rate: 400 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 9216}
	th := thresholds.Memory{Cell: 254}
	says("`broadcom-delay` gives %s bytes with its defaults and `mlxsw` %s",
		separated(int64(size(method.BroadcomDelay{}, far, th).XOFF)), separated(int64(size(method.MLXSW{}, far, th).XOFF)))
	w := thresholds.WorstCaseOf(thresholds.IEEE{}, far, th)
	says("%s bytes are in flight by light and frames alone, and %s with the delays of both ends",
		separated(int64(w.InFlight)), separated(int64(w.Wire)))

	// Worst frames.
	tomahawk := thresholds.Memory{Cell: 208, Overhead: 64}
	require.EqualValues(t, 145, thresholds.WorstFrame(tomahawk, thresholds.WireBytes, 9216))
	says("With cells of 208 bytes and 64 bytes of overhead it is %d bytes: two cells for %d bytes of wire", 145, 165)
	require.EqualValues(t, 97, thresholds.WorstFrame(thresholds.Memory{Cell: 96}, 0, 9216))
	for cell := cells.Size(100); cell < 300; cell++ {
		least := thresholds.WorstFrame(thresholds.Memory{Cell: cell}, 0, 9216) == 64
		require.Equal(t, cell >= 127, least, "64 bytes where a cell holds at least 127: %d", cell)
	}
	excess := func(m thresholds.Memory) float64 { // the default above the exact maximum of the worst frames with gaps
		l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 9216}
		h := size(thresholds.IEEE{}, l, m)
		frame := thresholds.WorstFrame(m, thresholds.WireBytes, 9216)
		each := int64(frame+thresholds.WireBytes) * 8
		return float64(h.Cells)/float64((h.BitTimes+each-1)/each*int64(m.Cell.Packet(frame, m.Overhead))) - 1
	}
	require.InDelta(t, 1.0/5, excess(thresholds.Memory{Cell: 96}), 0.03, "a fifth (Spectrum-1)")
	require.InDelta(t, 1.0/3, excess(cloud), 0.03, "a third (cells of 416 bytes)")

	// The plug-in's constant at a speed without quanta.
	six, known := method.LookupSONiCChip("spectrum-6")
	require.True(t, known)
	fast := thresholds.Link{Rate: 1600 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 9216}
	says("%s bytes and not\n%s for Spectrum-6 at 1.6T over 5 m", separated(int64(size(method.SONiC{Chip: six}, fast,
		thresholds.Memory{Cell: 256}).XOFF)), separated(int64(size(method.SONiC{Chip: six, Exact: true}, fast,
		thresholds.Memory{Cell: 256}).XOFF)))

	// Cisco's practical method.
	const left = 104000 - 20800
	says("leave %s bytes of", separated(left))
	// The longest cable that so many bytes cover, by the standard's sum.
	covers := func(bytes unit.Bytes) int64 {
		l := book
		for l.Cable = 0; size(thresholds.IEEE{}, l, cloud).Wire <= bytes; l.Cable += unit.Metre {
		}
		return int64(l.Cable/unit.Metre) - 1
	}
	says("By the standard's sum this covers %s m", separated(covers(left)))
	says("leaves %s bytes,\nwhich cover %s m", separated(166400-20800), separated(covers(166400-20800)))
	says("Another 5 km need %s bytes, so %s bytes", separated(2*5000*5*10/8), separated(166400+2*5000*5*10/8))
	says("must use\n%s", separated(int64(cells.Size(416).Bytes(cells.Size(416).Holding(228900)))))
}
