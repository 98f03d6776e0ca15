package push

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// A file has a bound, a text that does not print is refused, and of many complaints the first are shown.
func TestParseIsBounded(t *testing.T) {
	effort.SkipShort(t, "it reads lists as large as they may be")
	_, err := parseTargets("f", []byte(strings.Repeat("a\n", mostTargets+1)), anyAddress, anyProfile)
	require.ErrorContains(t, err, "f: line 65537: want at most 65536 switches")
	_, err = parseTargets("f", []byte("leaf1\x1b[2J:9339\n"), anyAddress, anyProfile)
	require.EqualError(t, err, `f: line 1: "leaf1\x1b[2J:9339": want characters that print`)
	none := func(s string) (string, error) { return "", fmt.Errorf("address %q", s) }
	_, err = parseTargets("f", []byte(strings.Repeat(strings.Repeat("x", 500)+"\n", 30_000)), none, anyProfile)
	require.Contains(t, err.Error(), `f: line 1: address "`+strings.Repeat("x", 60)+`"... (500 bytes)`)
	require.True(t, strings.HasSuffix(err.Error(), "and 29950 more: 30000 complaints in all"))
	require.Less(t, len(err.Error()), 10_000)
}

// FuzzParse reads any file of switches. It is refused, or each line is a switch whose fields print.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"leaf1:9339\n", "gw prefix-target=a\ngw prefix-target=b\n",
		"a profile=x topology=y # z\n", "a\na\n", "=", "a topology=\n", "\x1b\n",
		"\u202e"} {
		f.Add(text)
	}
	named := func(s string) error {
		if s == "" {
			return errors.New("no name")
		}
		return nil
	}
	f.Fuzz(func(t *testing.T, text string) {
		targets, err := parseTargets("f", []byte(text), anyAddress, named)
		if err != nil {
			require.NotContains(t, err.Error(), "\x1b")
			return
		}
		seen := map[[2]string]bool{}
		for _, x := range targets {
			require.NotEmpty(t, x.Address)
			where := [2]string{x.Address, x.PrefixTarget}
			require.False(t, seen[where])
			seen[where] = true
			for _, c := range x.Address + x.PrefixTarget + x.Profile + x.Topology {
				require.Greater(t, c, ' ')
			}
		}
	})
}
