package tables

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is kept has a bound.
func TestBudget(t *testing.T) {
	defer func(was int) { maxBytes = was }(maxBytes)
	read := func(routes int) error {
		s := New(2)
		var text strings.Builder
		for i := range routes {
			fmt.Fprintf(&text, "s%d 10.0.%d.0/24\n", i%2, i)
		}
		err := s.ReadText("t", strings.NewReader(text.String()), Names{Node: func(name string) (int, bool) {
			return int(name[1] - '0'), true
		}, Wanted: func(p netip.Prefix) bool { return true }})
		if err == nil {
			err = s.Finish(nil)
		}
		return err
	}
	maxBytes = 20 * entryBytes
	require.NoError(t, read(20))
	require.ErrorContains(t, read(21), "t:21: more than 20 routes")
}
