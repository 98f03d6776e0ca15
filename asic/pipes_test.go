package asic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
)

// Every pair of an ingress and an egress pipe of Tomahawk has one slice in common, and each slice serves four pairs.
func TestTomahawkPipesMeetInOneSlice(t *testing.T) {
	c, err := asic.Load("tomahawk")
	require.NoError(t, err)
	pairs := map[int]int{}
	for in := range 4 {
		for out := range 4 {
			s := c.SliceOf(in, out)
			require.Contains(t, c.Pipes[in], s)
			require.Contains(t, c.EgressPipes[out], s)
			pairs[s]++
		}
	}
	require.Equal(t, map[int]int{0: 4, 1: 4, 2: 4, 3: 4}, pairs)
	require.Equal(t, 3, c.SliceOf(1, 2), "pipe 1 feeds 2 and 3, pipe 2 sends from 1 and 3")
}
