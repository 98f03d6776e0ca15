package cli_test

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
)

// Another level is refused with those that there are.
func TestLevel(t *testing.T) {
	root := &cobra.Command{Use: "cellwarden", RunE: func(*cobra.Command, []string) error { return nil },
		SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(cli.ExplainFlag)
	cli.RegisterLog(root)
	root.SetArgs([]string{"--log-level", "loud"})
	require.EqualError(t, root.Execute(), `--log-level: "loud" (want off, error, warn, info, debug)`)
	root.SetArgs([]string{"--log-level", "debug"})
	require.NoError(t, root.Execute())
}
