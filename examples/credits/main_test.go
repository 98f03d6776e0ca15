package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// The output is part of the comparison.
func Example() {
	if err := compare(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	//           64 credits     64 of CBFC   32 frames + 32 headroom     enough        enough headroom
	//    km   Mb/s    held    Mb/s   held        Mb/s    lost          credits        frames    Mb/s
	//     0  19997      64   19997     64       19997       0                2            33   19997
	//     1  19988      52   19988     52       19988       0               14            45   19988
	//     2  19978      41   19978     40       19978       0               25            56   19978
	//     5  19949      33   19949     33       16868    1728               60            91   17260
	//    10  10921      33   10907     33       14204    3276              117           148   15432
	//    20   5510      33    5487     33       12400    4400              233           264   14565
	//    40   2775      33    2775     33       11360    5102              463           494   13680
}

// A switch that pauses keeps its egress full only if it resumes while it still
// stores what the egress sends in a round trip, beside its headroom.
func TestPausesNeedARoundTripMoreToStayFull(t *testing.T) {
	const delay = 100 * unit.Microsecond // 20 km
	bits := 8 * int64(frame+gap)
	trip := cells.Count(int64(2*delay) / int64(egress.TimeFor(bits))) // frames that the egress sends in a round trip
	full, err := pause(0, 1<<12, 1<<16)
	require.NoError(t, err)
	missing := int64(delay)/int64(egress.TimeFor(bits)) + 2 // the first frame has to arrive
	enough, err := pause(delay, trip+8, 1<<16)
	require.NoError(t, err)
	require.Zero(t, enough.Drops)
	require.InDelta(t, full.Delivered-missing, enough.Delivered, 2)
	fewer, err := pause(delay, trip*3/4, 1<<16)
	require.NoError(t, err)
	require.Less(t, fewer.Delivered, enough.Delivered-50)
}
