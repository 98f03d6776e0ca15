package ecn_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
)

// theory reads a file of testdata/theory.
func theory(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "theory", name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into))
}

// The closed form gives the packets at which silicon sends XOFF within two cells.
func TestTogetherOnSilicon(t *testing.T) {
	var file struct {
		Cases []struct {
			Chip     string
			Pool     cells.Count      `json:"pool_cells"`
			Alpha    thresholds.Alpha `json:"dynamic_th"`
			Groups   int
			Reserved cells.Count `json:"reserved_cells"`
			XOFF     int64       `json:"xoff_cells"`
		}
	}
	theory(t, "sharing.json", &file)
	require.Len(t, file.Cases, 10)
	for _, c := range file.Cases {
		s := ecn.Sharing{Pool: c.Pool, Alpha: c.Alpha, Reserved: c.Reserved}
		require.NoError(t, s.Validate())
		require.InDelta(t, c.XOFF, s.Together(c.Groups).Floor(), 2, "%s, %d groups", c.Chip, c.Groups)
		if c.Groups == 1 {
			require.InDelta(t, c.XOFF, int64(inTurn(s, 1)[0]), 2, c.Chip)
		}
		if c.Groups > 1 || c.Alpha < 0 {
			require.InDelta(t, c.XOFF, s.Together(c.Groups).Floor(), 1, "%s, %d groups", c.Chip, c.Groups)
		}
	}
}

func TestTogetherExactly(t *testing.T) {
	s := ecn.Sharing{Pool: 13071, Reserved: 6}
	require.Equal(t, exact.Of(13083, 2), s.Together(1))
	require.Equal(t, int64(1458), s.Together(8).Floor())
	require.Equal(t, int64(1194), s.Together(10).Floor())
	require.Equal(t, int64(2620), s.Together(4).Floor())
	require.Equal(t, s.Together(1), s.Together(-3))
	require.Equal(t, s.Together(thresholds.MaxGroups), s.Together(1<<30))
	require.Error(t, ecn.Sharing{Pool: -1, Alpha: 11, Reserved: -1}.Validate())
	biggest := ecn.Sharing{Pool: ecn.MaxSharedCells, Alpha: 10, Reserved: ecn.MaxSharedCells}
	require.NoError(t, biggest.Validate())
	require.Positive(t, biggest.Together(thresholds.MaxGroups).Floor())
}

// inTurn returns the cells that each of n groups holds when they are filled one after the other, with packets of one
// cell, until they pause. A group takes one more cell while its shared cells are below floor(alpha*(S-used)), the
// hardware's integer rule. So it stops at
//
//	x = floor((alpha*(S-others) - 1)/(1+alpha)) + 1
//
// and holds x + reserved. For an alpha of 1 or more this is the ceiling of alpha*(S-others)/(1+alpha), with which
// sonic-mgmt's parameters agree. For a smaller alpha it can be one cell less, which is the measured XOFF of Trident 2
// and Tomahawk 2 at alpha 1/8. With a static limit, each takes that much while the pool has it.
func inTurn(s ecn.Sharing, n int) []cells.Count {
	num, den := s.Alpha.Ratio()
	held := make([]cells.Count, n)
	left := int64(s.Pool)
	for i := range held {
		var x int64
		if limit, given := s.Static.Get(); given {
			x = min(int64(limit), left)
		} else if num*left >= den {
			x = (num*left-den)/(num+den) + 1
		}
		held[i] = s.Reserved + cells.Count(x)
		left -= x
	}
	return held
}

// Tomahawk 5: groups are filled one after the other until each pauses.
func TestInTurnOnSilicon(t *testing.T) {
	var file struct {
		Pool     cells.Count      `json:"pool_cells"`
		Alpha    thresholds.Alpha `json:"dynamic_th"`
		Reserved cells.Count      `json:"reserved_cells"`
		Held     []cells.Count    `json:"held_cells"`
	}
	theory(t, "inturn.json", &file)
	s := ecn.Sharing{Pool: file.Pool, Alpha: file.Alpha, Reserved: file.Reserved}
	require.Equal(t, file.Held, inTurn(s, len(file.Held)))
	require.Equal(t, []cells.Count{6542, 3274, 1640, 823}, inTurn(ecn.Sharing{Pool: 13071, Reserved: 6}, 4))
}

// The closed form of groups in turn is compared with the rule cell by cell, and
// with sonic-mgmt's ceiling for an alpha of 1 and more.
func TestInTurnIsTheIntegerRule(t *testing.T) {
	for alpha := thresholds.MinAlpha; alpha <= thresholds.MaxAlpha; alpha++ {
		for _, pool := range []cells.Count{0, 1, 2, 100, 1023, 1024, 13071} {
			s := ecn.Sharing{Pool: pool, Alpha: alpha, Reserved: 6}
			left := pool
			for i, held := range inTurn(s, 5) {
				var used cells.Count
				for used < thresholds.Dynamic(alpha).At(left-used) {
					used++
				}
				require.Equal(t, used+6, held, "alpha %v, pool %d, group %d", alpha, pool, i)
				if alpha >= 0 {
					factor := cells.Count(1) << alpha
					require.Equal(t, (factor*left+factor)/(1+factor), used, "ceiling")
				}
				left -= used
			}
		}
	}
}

// Trident 2 and Tomahawk 2 at alpha 1/8 send XOFF one cell before the ceiling.
func TestInTurnBelowOne(t *testing.T) {
	for _, c := range []struct {
		pool, xoff cells.Count
	}{{44032, 4898}, {40363, 4490}, {40059, 4457}} {
		s := ecn.Sharing{Pool: c.pool, Alpha: -3, Reserved: 6}
		require.Equal(t, []cells.Count{c.xoff}, inTurn(s, 1))
	}
}

func ExampleSharing() {
	tomahawk := ecn.Sharing{Pool: 13071, Reserved: 6}
	for _, n := range []int{1, 8, 10} {
		fmt.Printf("%d %.3f %d\n", n, tomahawk.Together(n).Float(), tomahawk.Together(n).Floor())
	}
	// Output:
	// 1 6541.500 6541
	// 8 1458.333 1458
	// 10 1194.273 1194
}
