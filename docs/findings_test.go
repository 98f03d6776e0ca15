package docs_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/credit"
	ends "github.com/cellwarden/cellwarden/dcbx/linkcheck"
)

// TestFindingsOfLinks compares the table of findings of links.md with the codes of package dcbx/linkcheck, and requires that
// there is everything that shows one.
func TestFindingsOfLinks(t *testing.T) {
	var b strings.Builder
	b.WriteString("| code | severity | what | shown by | repair |\n|---|---|---|---|---|\n")
	for _, k := range ends.Codes().All() {
		var severities, shown []string
		for _, s := range k.Severities() {
			severities = append(severities, string(s))
		}
		for _, by := range k.Shown {
			if file := filepath.Join("../examples/scenarios", by); strings.HasSuffix(by, ".yaml") {
				require.FileExists(t, file)
				shown = append(shown, fmt.Sprintf("[%s](%s)", strings.TrimSuffix(by, ".yaml"), file))
				continue
			}
			require.True(t, slices.ContainsFunc(credit.Disagreements(), func(d credit.Disagreement) bool {
				return d.Name == by
			}), by)
			shown = append(shown, "`"+by+"`")
		}
		text := strings.Join(shown, ", ")
		switch {
		case k.NotShown != "" && text != "":
			text += "; not always: " + k.NotShown
		case k.NotShown != "":
			text = "cannot be simulated: " + k.NotShown
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Code, strings.Join(severities, ", "), k.Rule, text, k.Repair)
	}
	keepPart(t, "links.md", "<!-- findings: made by go test ./docs -rewrite -->\n", b.String(), "<!-- findings end -->")
}
