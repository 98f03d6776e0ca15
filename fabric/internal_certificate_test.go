package fabric_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/fabric/internal/certificate"
)

// line is a line of three nodes, with the ranks of its four channels: 0 to 1, 1 to 2, 2 to 1, 1 to 0.
func line(ranks ...int64) certificate.Claim {
	c := certificate.Claim{Nodes: 3, Host: func(int) bool { return false }, From: []int{0, 2}, To: []int{0, 2}}
	for i, ends := range [][2]int{{0, 1}, {1, 2}, {2, 1}, {1, 0}} {
		c.Cables = append(c.Cables, certificate.Cable{From: ends[0], To: ends[1], Ranks: []int64{ranks[i]}})
	}
	return c
}

func Example_certificate() {
	good, bad := line(4, 3, 2, 1), line(3, 4, 2, 1)
	fmt.Println(good.Check())
	fmt.Println(bad.Check())
	// Output:
	// <nil>
	// a channel of rank 3 waits for one of rank 4
}

// Ranks that are equal prove nothing, and neither do those of a path that rise.
func TestCertificateWhatProvesNothing(t *testing.T) {
	equal := line(1, 1, 2, 1)
	require.Error(t, equal.Check())
	for _, c := range []struct {
		path  [][]int64
		holds bool
	}{{[][]int64{{3}, {2, 1}}, true}, {[][]int64{{3, 2}, {2, 1}}, false}, {[][]int64{{1}, {2}}, false}, {nil, true}} {
		claim := certificate.Claim{Path: c.path}
		require.Equal(t, c.holds, claim.Check() == nil, c.path)
	}
}

// By a rule up and down, ways that go up again are none: the ranks of their channels do not matter.
func TestCertificateUpDown(t *testing.T) {
	// 0 and 2 are above 1: a way from 0 to 2 goes down and up.
	c := line(1, 2, 2, 1)
	for i := range c.Cables {
		c.Cables[i].Rise = 1
		if c.Cables[i].To == 1 {
			c.Cables[i].Rise = -1
		}
	}
	require.Error(t, c.Check())
	c.OnlyDown = true
	require.NoError(t, c.Check())
}
