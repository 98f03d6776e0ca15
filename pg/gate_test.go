package pg_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A gate closes once and opens by SAI's rule.
func ExampleGate() {
	var g pg.Gate
	rule := thresholds.XON{Offset: 11}
	fmt.Println("first refusal, XOFF:", g.Refused(6535))
	fmt.Println("second refusal, XOFF:", g.Refused(6500))
	fmt.Println("headroom in use, XON:", g.Released(rule, thresholds.Paused{Used: 100, Headroom: 1, Limit: 6535}))
	fmt.Println("11 under the limit, XON:", g.Released(rule, thresholds.Paused{Used: 6524, Limit: 6535}))
	fmt.Println("refresh 65535 quanta at 100G after", pfc.RefreshAfter(65535, 100*unit.Gbps))
	// Output:
	// first refusal, XOFF: true
	// second refusal, XOFF: false
	// headroom in use, XON: false
	// 11 under the limit, XON: true
	// refresh 65535 quanta at 100G after 167.7696us
}

func TestGateZeroValueIsOpen(t *testing.T) {
	var g pg.Gate
	require.False(t, g.Paused())
	require.False(t, g.Released(thresholds.XON{}, thresholds.Paused{}), "XON is not sent without XOFF")
}

// The two readings of SAI's text differ when the use of the pool changes.
func TestGateLatchedAndCurrentLimit(t *testing.T) {
	for name, c := range map[string]struct {
		latched bool
		xon     bool
	}{"current": {false, true}, "latched": {true, false}} {
		t.Run(name, func(t *testing.T) {
			var g pg.Gate
			require.True(t, g.Refused(100))
			require.EqualValues(t, 100, g.AtXOFF())
			rule := thresholds.XON{Offset: 10, Latched: c.latched}
			require.Equal(t, c.xon, g.Released(rule, thresholds.Paused{Used: 95, Limit: 105}))
			require.Equal(t, !c.xon, g.Paused())
			require.Equal(t, g.Paused(), g.AtXOFF() == 100)
		})
	}
}
