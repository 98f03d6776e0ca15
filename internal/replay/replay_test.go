package replay

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/columns"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// The replay buffer of a port of 400G over 40 m.
func Example() {
	r, err := Size(Port{Link: thresholds.Link{Rate: 400 * unit.Gbps, Cable: 40 * unit.Metre, MTU: 9216,
		LosslessMTU: 4096}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d frames of 64B, %d bytes in frames of %v, replay timer above %v\n", r.Frames, r.Bytes, r.Frame,
		r.Timer)
	// Output: 1753 frames of 64B, 156672 bytes in frames of 9216B, replay timer above 3.127358us
}

func made(t testing.TB) *Table {
	data, err := os.ReadFile("testdata/made.ini")
	require.NoError(t, err)
	got, err := Read("made.ini", bytes.NewReader(data))
	require.NoError(t, err)
	return got
}

func TestRead(t *testing.T) {
	m := made(t)
	require.Len(t, m.Rows, 4)
	r := m.Rows[3]
	require.Equal(t, 400*unit.Gbps, r.Rate)
	require.Equal(t, 40*unit.Metre, r.Cable)
	require.EqualValues(t, 65, r.Of(Frames))
	require.Equal(t, "-", r.Text(replayCount))
	require.Equal(t, "discard", r.Text(flushAction))
	require.False(t, r.Values[pcsLost].IsGiven(), "the file has no such column")
	var out bytes.Buffer
	_, err := m.WriteTo(&out)
	require.NoError(t, err)
	again, err := Read("made.ini", &out)
	require.NoError(t, err)
	for i := range again.Rows {
		again.Rows[i].Line = m.Rows[i].Line
	}
	require.Equal(t, m, again)
}

// SONiC's design has two names for a field and for two columns of its example.
func TestNamesOfColumns(t *testing.T) {
	for _, head := range []string{
		"outstanding_bytes outstanding_frames data_age_timeout", "max_outstanding_bytes outstanding_frames data_age_timer",
	} {
		m, err := Read("f", strings.NewReader("speed cable "+head+"\n400G 40 m 1000 2 20000\n"))
		require.NoError(t, err)
		require.EqualValues(t, 1000, m.Rows[0].Of(Bytes))
		require.EqualValues(t, 2, m.Rows[0].Of(Frames))
		require.EqualValues(t, 20000, m.Rows[0].Of(dataAge))
	}
}

func TestReadRefuses(t *testing.T) {
	const head = "speed cable outstanding_frames outstanding_bytes replay_timer init_action\n"
	for text, want := range map[string]string{
		"":                                 "no rows",
		head:                               "no rows",
		"400000 40m 1 2\n":                 "begins with: speed cable",
		"speed cable outstanding_frames\n": "no column outstanding_bytes",
		"speed cable outstanding_frames outstanding_bytes what\n": `column "what": want`,
		"speed cable outstanding_frames outstanding_bytes " +
			"max_outstanding_bytes\n": "two columns are named outstanding_bytes",
		head + "400000 40m 1 2 3\n":                     "5 columns; want 6",
		head + "400000 40m - 2 3 -\n":                   "SONiC makes no profile without it",
		head + "400000 40m 524289 2 3 -\n":              `"524289": want a whole number from 0 to 524288`,
		head + "400000 40m 1 4294967296 3 -\n":          "to 4294967295",
		head + "400000 40m 1 2 65536 -\n":               "to 65535",
		head + "400000 40m 1 2 3 drop\n":                `"drop": want best_effort, block, discard`,
		head + "400000 40 1 2 3 -\n":                    "cable",
		head + "x 40m 1 2 3 -\n":                        "speed in Mb/s",
		head + "400000 40m 1 2 3 -\n400G 40m 1 2 3 -\n": "f:3: 400G over 40m is already on line 2",
	} {
		_, err := Read("f", strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
	}
	_, err := Read("f", strings.NewReader(strings.Repeat("\n", columns.MaxLines+1)))
	require.ErrorContains(t, err, "more than 65536 lines")
	_, err = (&Table{Rows: []Row{{Rate: 1}}}).WriteTo(&bytes.Buffer{})
	require.ErrorContains(t, err, "not a whole number of Mb/s")
}

// A row for another length has the line's bytes and as many frames for them as its neighbour.
func TestFit(t *testing.T) {
	fits := made(t).Fits()
	require.Len(t, fits, 2)
	require.NoError(t, fits[1].Line.Doubt)
	require.Equal(t, "500.000", fits[1].Line.PerMetre.String())
	row, err := fits[1].At(300*unit.Metre, false)
	require.NoError(t, err)
	require.EqualValues(t, 162860, row.Of(Bytes))
	require.EqualValues(t, 323, row.Of(Frames), "65 for each 32,860 bytes, rounded up")
	require.Equal(t, "discard", row.Text(flushAction))
	require.Empty(t, row.Notes)
	same, err := fits[1].At(40*unit.Metre, false)
	require.NoError(t, err)
	require.True(t, same.FromTable)
	require.EqualValues(t, 32860, same.Of(Bytes))
	_, err = fits[1].At(700*unit.Kilometre, false)
	require.ErrorContains(t, err, "outstanding_frames of")
}

// SONiC's replay timer has 16 bits of nanoseconds: light is longer on its way over more than 6.5 km and back.
func TestReplayTimerIsTooShortForLongCables(t *testing.T) {
	fits := made(t).Fits()
	row, err := fits[1].At(10*unit.Kilometre, false)
	require.NoError(t, err)
	require.Len(t, row.Notes, 1)
	require.Contains(t, row.Notes[0], "SONiC accepts at most 65535")
	row, err = fits[1].At(6500*unit.Metre, false)
	require.NoError(t, err)
	require.Contains(t, row.Notes[0], "replay_timer of 5500 ns is less than light needs both ways, 65us")
	require.NotContains(t, row.Notes[0], "at most")
}

// The values that SONiC's sample calls illustrative rise by 136 and 257 bytes a metre from 5 m to 40 m: about one way
// of light, where a replay buffer needs both. The fit refuses to go on from them.
func TestIllustrativeValuesContradictLight(t *testing.T) {
	var sample strings.Builder
	sample.WriteString("speed cable outstanding_frames outstanding_bytes\n")
	for _, r := range []struct {
		speed, cable  string
		frames, bytes int
	}{{"200000", "5m", 61, 31184}, {"200000", "40m", 71, 35952}, {"400000", "5m", 115, 58768},
		{"400000", "40m", 133, 67760}} {
		sample.WriteString(fmt.Sprintln(r.speed, r.cable, r.frames, r.bytes))
	}
	m, err := Read("sample", strings.NewReader(sample.String()))
	require.NoError(t, err)
	for i, slope := range []string{"136.229", "256.914"} {
		f := m.Fits()[i]
		require.Equal(t, slope, f.Line.PerMetre.String())
		require.ErrorIs(t, f.Line.Doubt, table.ErrContradictory)
		_, err := f.At(300*unit.Metre, false)
		require.Error(t, err)
		row, err := f.At(300*unit.Metre, true)
		require.NoError(t, err)
		floor := int64(table.LightFloor(f.Line.Rate, 300*unit.Metre))
		require.Equal(t, (floor+15)/16*16, row.Of(Bytes), "what light needs, in the table's steps of 16 bytes")
	}
}

// Bytes are for the frame length that needs most, frames for the shortest.
func TestSizeCoversEveryLength(t *testing.T) {
	effort.SkipShort(t, "it goes through each length")
	for _, rate := range []unit.BitRate{100 * unit.Gbps, 800 * unit.Gbps} {
		for _, reverse := range []unit.Optional[unit.Bytes]{{}, unit.Given[unit.Bytes](0)} {
			p := Port{Link: thresholds.Link{Rate: rate, Cable: 40 * unit.Metre, MTU: 9216, LosslessMTU: 9216}, Reverse: reverse}
			all, err := Size(p)
			require.NoError(t, err)
			for length := thresholds.MinFrame; length <= p.Link.MTU; length++ {
				s, err := p.way(length, defaultAckSpacing)
				require.NoError(t, err)
				require.LessOrEqual(t, s.Frames, all.Frames)
				require.LessOrEqual(t, unit.Bytes(s.Frames)*length, all.Bytes+length, "frames of %v", length)
				require.LessOrEqual(t, rate.TimeFor(s.BitTimes), all.Timer)
			}
		}
	}
	_, err := Size(Port{Spacing: 399})
	require.ErrorContains(t, err, "399 (want 400 to 16384)")
	_, err = Size(Port{})
	require.ErrorContains(t, err, "link refused")
}

// FuzzRead checks that a table that is read is written and read as the same.
func FuzzRead(f *testing.F) {
	data, err := os.ReadFile("testdata/made.ini")
	require.NoError(f, err)
	f.Add(string(data))
	f.Add("speed cable outstanding_bytes max_outstanding_frames data_age_timer\n400G 0.5 m 0 0 -\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read("f", strings.NewReader(text))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		var out bytes.Buffer
		_, err = m.WriteTo(&out)
		require.NoError(t, err)
		again, err := Read("f", &out)
		require.NoError(t, err)
		require.Len(t, again.Rows, len(m.Rows))
		for i := range again.Rows {
			again.Rows[i].Line = m.Rows[i].Line
		}
		require.Equal(t, m, again)
		for _, fit := range m.Fits() {
			_, _ = fit.At(100*unit.Metre, true)
		}
	})
}

// A file that is no table may have secrets: its lines are not shown.
func TestAnotherFileIsNotShown(t *testing.T) {
	_, err := Read("shadow", strings.NewReader("root:$6$secret:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n"))
	require.ErrorContains(t, err, "shadow:1: no line of column names")
	require.NotContains(t, err.Error(), "secret")
	require.NotContains(t, err.Error(), "daemon")
}
