package credits

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each disagreement shows what it says, and the same link whose ends agree does not.
func TestDisagreements(t *testing.T) {
	for _, d := range Disagreements() {
		for _, x := range d.Runs {
			r, err := x.Link.Run(x.Until)
			require.NoError(t, err)
			require.True(t, x.Shows(&r), "%s, %s: %+v", d.Name, x.Name, r)

			agreed := x.Link
			agreed.Phase, agreed.Timer, agreed.Memory = 0, 10_000_000, Direction{}.Memory
			agreed.Channels = append([]Channel{}, agreed.Channels...)
			agreed.Channels[0].Limit = 1600
			r, err = agreed.Run(x.Until)
			require.NoError(t, err)
			require.False(t, x.Shows(&r), "%s, %s: %+v", d.Name, x.Name, r)
		}
	}
}
