package docs_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
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

	// The worked example of the texts, and its three conversions.
	texts := thresholds.Delays{Sum: thresholds.SumOfTexts}
	book := thresholds.Link{Rate: 10 * unit.Gbps, Cable: 100 * unit.Metre, MTU: 9216, LosslessMTU: 2300}
	cloud := thresholds.Memory{Cell: 416}
	e, err := thresholds.IEEE{Mix: thresholds.Frames(64), Delays: texts}.Explain(book, cloud)
	require.NoError(t, err)
	says("give %s BT by `--delays texts`, which are %s bytes", separated(e.BitTimes), separated(int64(e.Wire)))
	require.Len(t, e.Readings, 3)
	for i, how := range []string{"| expansion |", "| whole frames |", "| frames with gap |"} {
		require.Regexp(t, fmt.Sprintf(`(?m)^\| [a-z ]+ \| .* \| %d \| %s \|$`, e.Readings[i].Cells,
			separated(int64(e.Readings[i].Bytes))), page, how)
	}
	says("with these delays %d cells in the\nexample, and %d by default", size(thresholds.IEEE{Delays: texts}, book,
		cloud).Cells, size(thresholds.IEEE{}, book, cloud).Cells)

	// The delays by speed, and the two sums of both ends.
	near := func(rate unit.BitRate) thresholds.Link {
		return thresholds.Link{Rate: rate, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
	}
	for _, rate := range []unit.BitRate{10, 25, 40, 50, 100, 200, 400, 800, 1600} {
		rate *= unit.Gbps
		e, err := thresholds.IEEE{}.Explain(near(rate), memory)
		require.NoError(t, err)
		require.Regexp(t, fmt.Sprintf(`(?m)^\| %v \| %s( inferred)? \| %s \|`, rate, separated(e.Terms[4].BitTimes/512),
			separated(e.Terms[2].BitTimes+e.Terms[4].BitTimes)), page)
		e, err = thresholds.IEEE{Delays: texts}.Explain(near(rate), memory)
		require.NoError(t, err)
		switch rate {
		case 10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 100 * unit.Gbps:
			require.Regexp(t, fmt.Sprintf(`%s( BT)? at %v`, separated(e.Terms[2].BitTimes), rate), page)
		}
	}
	sublayers := regexp.MustCompile(`(?m)^\| \d+G \| (\d+) \|([ 0-9|x]+)\|$`).FindAllStringSubmatch(page, -1)
	require.Len(t, sublayers, 3)
	for _, row := range sublayers {
		sum := 0
		for part := range strings.SplitSeq(row[2], "|") {
			n := 1
			for _, factor := range strings.FieldsFunc(part, func(r rune) bool { return r == ' ' || r == 'x' }) {
				f, err := strconv.Atoi(factor)
				require.NoError(t, err)
				n *= f
			}
			if strings.TrimSpace(part) != "" {
				sum += n
			}
		}
		require.Equal(t, row[1], strconv.Itoa(sum), "the sublayers of an end")
	}
	apart := func(rate unit.BitRate) int64 { // of the sum of the texts from that of both ends, in percent
		both := size(thresholds.IEEE{}, near(rate), memory).BitTimes
		return int64(math.Round(float64(size(thresholds.IEEE{Delays: texts}, near(rate), memory).BitTimes-both) * 100 /
			float64(both)))
	}
	says("is %d %% less than `both-ends` at 25G, and %d %% more at 400G", -apart(25*unit.Gbps), apart(400*unit.Gbps))

	// The worst mixture.
	tomahawk := thresholds.Memory{Cell: 208, Overhead: 64}
	hall := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
	h := size(thresholds.IEEE{}, hall, tomahawk)
	says("mixture is %v. It needs %s cells; frames of\n145 bytes alone need %s",
		thresholds.WorstArrival(h.BitTimes, 64, 4096, thresholds.WireBytes, tomahawk), separated(int64(h.Cells)),
		separated(int64(size(thresholds.IEEE{Mix: thresholds.Frames(145)}, hall, tomahawk).Cells)))
	e, err = thresholds.IEEE{}.Explain(hall, tomahawk)
	require.NoError(t, err)
	require.Equal(t, "shrunken gaps", e.Readings[1].Name)
	says("%s cells in place of %s", separated(int64(e.Readings[1].Cells)), separated(int64(h.Cells)))
	rack := thresholds.Link{Rate: 25 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 1500}
	says("cells of 256 bytes, %d cells", size(thresholds.IEEE{}, rack, thresholds.Memory{Cell: 256}).Cells)
	long := size(thresholds.IEEE{Mix: thresholds.Frames(4096)}, near(400*unit.Gbps), memory).Cells
	require.InDelta(t, 1.0/3, float64(long)/float64(size(thresholds.IEEE{}, near(400*unit.Gbps), memory).Cells), 0.03,
		"about a third of the worst mixture")

	// What cannot be enough.
	far := thresholds.Link{Rate: 400 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 9216}
	th := thresholds.Memory{Cell: 254}
	says("`broadcom-delay` gives %s bytes with its defaults and `mlxsw` %s",
		separated(int64(size(method.BroadcomDelay{}, far, th).XOFF)), separated(int64(size(method.MLXSW{}, far, th).XOFF)))
	w := thresholds.WorstCaseOf(thresholds.IEEE{}, far, th)
	says("%s bytes are in flight by light and frames alone, and %s with the delays of both ends",
		separated(int64(w.InFlight)), separated(int64(w.Wire)))

	// The frame size that brings most cells.
	require.EqualValues(t, 145, thresholds.WorstFrame(tomahawk, thresholds.WireBytes, 64, 9216))
	says("With cells of 208 bytes and 64 bytes of overhead it is %d\nbytes: two cells for %d bytes of wire", 145, 165)

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
	// The longest cable that so many bytes cover, by the sum of the texts.
	covers := func(bytes unit.Bytes) int64 {
		l := book
		for l.Cable = 0; size(thresholds.IEEE{Delays: texts}, l, cloud).Wire <= bytes; l.Cable += unit.Metre {
		}
		return int64(l.Cable/unit.Metre) - 1
	}
	says("By the sum of the texts this covers %s m", separated(covers(left)))
	says("leaves %s\nbytes, which cover %s m", separated(166400-20800), separated(covers(166400-20800)))
	says("Another 5 km need %s bytes, so %s bytes", separated(2*5000*5*10/8), separated(166400+2*5000*5*10/8))
	says("must use\n%s", separated(int64(cells.Size(416).Bytes(cells.Size(416).Holding(228900)))))
}
