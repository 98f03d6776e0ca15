package docs_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/cbfc"
	ends "github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/unit"
)

// TestFindingsOfLinks compares the table of findings of links.md with the codes of package dcbx/linkcheck, and requires
// that there is everything that shows one.
func TestFindingsOfLinks(t *testing.T) {
	var b strings.Builder
	b.WriteString("| code | severity | what | shown by | repair |\n|---|---|---|---|---|\n")
	for _, k := range ends.Codes().All() {
		severity, shown := string(k.Severity), []string(nil)
		if k.Milder != "" {
			severity += ", " + string(k.Milder)
		}
		for _, by := range k.Shown {
			if file := filepath.Join("../examples/scenarios", by); strings.HasSuffix(by, ".yaml") {
				require.FileExists(t, file)
				shown = append(shown, fmt.Sprintf("[%s](%s)", strings.TrimSuffix(by, ".yaml"), file))
				continue
			}
			_, ok := fabric.CreditDisagreement(by)
			require.True(t, ok, by)
			shown = append(shown, "`"+by+"`")
		}
		text := strings.Join(shown, ", ")
		switch {
		case k.NotShown != "" && text != "":
			text += "; not always: " + k.NotShown
		case k.NotShown != "":
			text = "cannot be simulated: " + k.NotShown
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Code, severity, k.Rule, text, k.Repair)
	}
	keepPart(t, "links.md", "<!-- findings: made by go test ./docs -rewrite -->\n", b.String(), "<!-- findings end -->")
}

// TestTableOfCredits checks that links.md shows what package cbfc computes.
func TestTableOfCredits(t *testing.T) {
	var b strings.Builder
	b.WriteString("| speed | cable | PFC, headroom | PFC, full rate | CBFC, full rate | B2B credits |\n" +
		"|---|---|---:|---:|---:|---:|\n")
	for _, rate := range []unit.BitRate{100 * unit.Gbps, 400 * unit.Gbps, 1600 * unit.Gbps, 3200 * unit.Gbps} {
		for _, cable := range cbfc.GridCables {
			ways, err := cbfc.Compare(cbfc.Channel{Link: link(rate, cable), Memory: memory, Frame: 4096})
			require.NoError(t, err)
			credits := unit.Thousands(ways.Credits.Cells)
			if ways.Credits.Credits > cbfc.MaxLimit {
				credits += fmt.Sprintf(" (20 bits: %v)", ways.Credits.Rate)
			}
			fmt.Fprintf(&b, "| %v | %v | %s | %s | %s | %s |\n", rate, cable, unit.Thousands(ways.Headroom.Cells),
				unit.Thousands(ways.Full()), credits, unit.Thousands(ways.Fibre.Credits))
		}
	}
	keepPart(t, "links.md", "<!-- credits: made by go test ./docs -rewrite -->\n", b.String(), "<!-- credits end -->")
}
