package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The texts of a command are found by its whole path, also those without a text of their own, and whatever the line
// ends of the checkout are.
func TestTextsOfHelp(t *testing.T) {
	const all = "# What the form is.\n\n== a\na\nWhat?\nIt is a\n  cellwarden a\n\n== a b\nb FILE\nHow?\nIt is b\n" +
		"  cellwarden a b\n  cellwarden a b --c \\\n      d\n\nIt does\nthis.\n\n  and that\n\n== c\nc\nWhy?\n"
	for path, want := range map[string]texts{
		"a": {"a", "What?", "It is a", "  cellwarden a", ""},
		"a b": {"b FILE", "How?", "It is b", "  cellwarden a b\n  cellwarden a b --c \\\n      d",
			"It does\nthis.\n\n  and that"},
		"c": {"c", "Why?", "", "", ""},
	} {
		for _, text := range []string{all, strings.ReplaceAll(all, "\n", "\r\n")} {
			got, known := textsIn(text, path)
			require.True(t, known, path)
			require.Equal(t, want, got, path)
		}
	}
	_, known := textsIn(all, "b")
	require.False(t, known)
	require.PanicsWithValue(t, "cli: help.txt has no command plam", func() { Command("plam", nil, nil) })
}
