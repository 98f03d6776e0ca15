package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names of a foreign configuration are texts in every format: no markup, and no control characters.
func TestForeignNamesAreTexts(t *testing.T) {
	const name = "<script>x</script>\x1b[31m\a [a](b) `c` *d* &lt;"
	r := &Screen{Head: []string{name}, Sections: []Section{{Title: "t", Columns: []string{"n"}, Rows: [][]any{{name}}}},
		Foot: []string{name}}
	for _, format := range []string{"md", "html", "table"} {
		var b strings.Builder
		out := Output{Format: format}
		require.NoError(t, r.Write(&b, out, nil))
		text := b.String()
		for _, r := range text {
			require.True(t, r >= ' ' || r == '\n', "%s: %q", format, r)
		}
		if format == "table" {
			continue
		}
		require.NotContains(t, text, "<script>x", format)
		require.Contains(t, text, "&amp;lt;", format)
		if format == "md" {
			require.NotContains(t, strings.ReplaceAll(text, `\[a\](b)`, ""), "[a](b)")
			require.Contains(t, text, "\\`c\\` \\*d\\*")
		}
	}
}
