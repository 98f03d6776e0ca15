package dial

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// SizeIncludesFlag adds to a command what is known of the pools of a switch. Without the flag it is absent. A boolean
// flag would have no third state: absent is inferred, and false is said.
func SizeIncludesFlag(c *cobra.Command, to *unit.Optional[bool]) {
	c.Flags().Func("size-includes-headroom", "whether the size of a pool includes its xoff: true or false (default: "+
		"inferred for the chip)", func(text string) error {
		if text != "true" && text != "false" {
			return fmt.Errorf("%s (want true or false)", fielderr.Quote(text))
		}
		*to = unit.Given(text == "true")
		return nil
	})
}
