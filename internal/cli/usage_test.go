package cli

import (
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestUsage(t *testing.T) {
	for text, given := range map[string][]string{
		"verify: no argument (want verify <file>)": {"verify"},
		"verify: 2 arguments (want verify <file>)": {"verify", "a", "b"},
		`list: argument "a" (want no arguments)`:   {"list", "a"},
		`--count: "many" (want a whole number)`:    {"verify", "a", "--count", "many"},
		`--count: "99999999999999999999" (want a whole number of at most 64 bits)`: {"verify", "--count",
			"99999999999999999999"},
		`--seed: "-1" (want a whole number, 0 or more)`:                         {"verify", "--seed", "-1"},
		`--wait: "5" (want a time such as 500ms, 30s or 5m)`:                    {"verify", "--wait", "5"},
		`--color: "loud" (want auto, always, never)`:                            {"verify", "--color", "loud"},
		"--set: verify reads no topology: accepted by plan":                     {"verify", "--set", "a=b"},
		"--other is no flag of verify (want those of cellwarden verify --help)": {"verify", "--other"},
		`--pauses: "x" (want a number)`:                                         {"verify", "--pauses", "x"},
		`--sim: "x" (want true or false)`:                                       {"verify", "--sim=x"},
		`--incast: "1,x" (want whole numbers with commas between them)`:         {"verify", "--incast", "1,x"},
	} {
		root := &cobra.Command{Use: "cellwarden", SilenceErrors: true, SilenceUsage: true}
		root.SetFlagErrorFunc(ExplainFlag)
		RegisterColor(root)
		run := func(*cobra.Command, []string) error { return nil }
		verify := &cobra.Command{Use: "verify FILE", Args: Args(1, 1), RunE: run}
		verify.Flags().Int("count", 0, "")
		verify.Flags().Uint64("seed", 0, "")
		verify.Flags().Duration("wait", time.Second, "")
		verify.Flags().Float64("pauses", 0, "")
		verify.Flags().Bool("sim", false, "")
		verify.Flags().IntSlice("incast", nil, "")
		plan := &cobra.Command{Use: "plan FILE...", Args: Args(1, NoBound), RunE: run}
		SetFlag(plan)
		root.AddCommand(verify, plan, &cobra.Command{Use: "list", Args: Args(0, 0), RunE: run})
		root.SetArgs(given)
		require.EqualError(t, root.Execute(), text)
		root.SetArgs([]string{"plan", "a", "b", "c"})
		require.NoError(t, root.Execute())
	}
}
