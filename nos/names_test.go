package nos_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A plan with the port names of another system is said to have them, before a switch refuses the interfaces. EOS and
// NX-OS have names in common.
func TestNamesOfAnotherSystem(t *testing.T) {
	for _, r := range renderers {
		for _, of := range renderers {
			notes := strings.Join(r.render(planned(t, intent(of.ports...))).Notes, "\n")
			slash := strings.Contains("eos nxos", of.name) && strings.Contains("eos nxos", r.name)
			if of.name == r.name || slash {
				require.NotContains(t, notes, "have other names", "%s with names of %s", r.name, of.name)
				continue
			}
			require.Contains(t, notes, "these ports of the plan have other names: "+of.ports[0], "%s with names of %s", r.name,
				of.name)
		}
	}
}
