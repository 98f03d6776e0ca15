package main

import (
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// A Set that the switch makes after its deadline is not reported as refused: the state is unknown, the journal stays
// open, and resume finds what the switch has made by then. resume --undo gives the previous values back.
func TestSetThatLandsAfterThePush(t *testing.T) {
	effort.SkipShort(t, "it waits for a Set that lands late")
	for name, undo := range map[string]bool{"finished": false, "undone": true} {
		t.Run(name, func(t *testing.T) {
			journals, leaf := state(t)
			w := watch(t)
			w.reset(t, nine)
			land, landed := make(chan struct{}), make(chan struct{})
			w.run(func(set int, made bool) error {
				switch {
				case set == 1 && !made:
					<-land
				case set == 1:
					close(landed)
				}
				return nil
			})
			code, out, bad := cellwarden(t, "apply", leaf, "--target", w.address, "--insecure", "--set-timeout", "1s",
				"--rollback-after", "0")
			require.Equal(t, cli.ExitPartial, code, bad)
			require.Contains(t, out, ": unknown\n")
			require.Contains(t, bad, "holds the previous values, but may still be working on a Set that it did not answer")
			require.Equal(t, nine, held(t, w.address))
			open, err := push.Journals().List(journals)
			require.NoError(t, err)
			require.Len(t, open, 1, "resume lists it")
			require.Equal(t, "end, unknown", open[0].State)
			close(land)
			<-landed
			w.run(nil)

			after := held(t, w.address)
			require.NotEqual(t, nine, after)
			args := []string{"resume", open[0].Journal, "--insecure"}
			if undo {
				args = append(args, "--undo")
			}
			code, out, bad = cellwarden(t, args...)
			require.Zero(t, code, bad)
			if undo {
				require.Contains(t, out, ": undone\n  24 registers have the values from before the push again, read back")
				require.Equal(t, nine, held(t, w.address))
			} else {
				require.Contains(t, out, ": unchanged\n", "the switch has made all of it")
				require.Equal(t, after, held(t, w.address))
			}
			open, err = push.Journals().List(journals)
			require.NoError(t, err)
			require.Empty(t, open)
		})
	}
}
