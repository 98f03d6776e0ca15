// Package size has the verb that sizes one link: headroom, with its tables (--fit) and replay buffers (--llr). The
// incasts of capacity --burst are here too.
//
// The verb is five questions with one set of flags. headroom.go decides which is asked. A headroom is a request
// (headroom_request.go: texts by key, from flags or from a line of --batch), which becomes a job of a link, a memory
// and a method; headroom_report.go prints its terms, headroom_batch.go answers many, headroom_compare.go asks every
// method, and headroom_credits.go puts the credits of CBFC beside it. fit.go and llr.go are about tables and replay
// buffers, which take some of the same flags and refuse the others.
//
// Quantities stay texts until a link is made of them, so that one error reports all bad values. It names a value as the
// user wrote it: a flag with hyphens, or a key of a line.
package size

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds/method"
)

// HeadroomCommand returns the headroom command. Fit, batch, compare and credits exclude each other in most ways, which
// the checks below and MarkFlagsMutuallyExclusive say; what none of them asks for is one headroom.
func HeadroomCommand() *cobra.Command {
	format := cli.Output{More: []string{ini}}
	var batch, with, plot string
	var compare bool
	fit := fitFlags{format: &format}
	c := cli.Command("headroom", cli.Args(0, 0), func(cmd *cobra.Command, _ []string) error {
		// A table or a replay buffer is another question, with flags of its own, so it comes before all checks of
		// a headroom.
		if fit.wanted() {
			return fit.run(cmd)
		}
		// These would have no effect on a headroom, and a reader would take the answer for one that they changed.
		for _, name := range []string{"at", "any-series", "ctlos-spacing"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s: accepted with --fit or --llr", name)
			}
		}
		if format.Format == ini {
			return errors.New("-o ini: accepted with --fit")
		}
		if err := creditsWith(cmd, with, compare); err != nil {
			return err
		}
		switch {
		// Before batch and compare: it needs --compare, and is another table.
		case with != "":
			return runCredits(cmd, requestOf(cmd), format, plot)
		case batch != "":
			return runBatch(cmd, batch)
		case compare:
			return runCompare(cmd, requestOf(cmd), format)
		default:
			return runHeadroom(cmd, requestOf(cmd), format)
		}
	})
	c.Long = strings.Replace(c.Long, "{methods}", methodHelp(), 1)
	// All quantities are texts until a link is made of them, so that all bad values are reported at once. The table of
	// keys makes the flags and the keys of a batch, so neither can have one that the other lacks.
	for _, k := range requestKeys {
		c.Flags().String(k.flag(), k.standard, k.help)
		// --macsec alone means true. The flags are texts, because a line of a batch has the same keys.
		if k.boolean {
			c.Flags().Lookup(k.flag()).NoOptDefVal = "true"
		}
	}
	// A boolean of its own: it changes the question, and no line of a batch can ask for it.
	c.Flags().BoolVar(&compare, "compare", false, "print the results of all methods for this link in one table")
	cli.WordFlag(c, &with, "with", "", []string{"cbfc"},
		"with --compare: compare PFC with the other way to lose no frame: cbfc")
	c.Flags().StringVar(&plot, "plot", "", "with --with: draw cells over the length of the cable as SVG to this file")
	fit.register(c)
	c.Flags().StringVar(&batch, "batch", "", "file with lines of JSON, each a link to compute; - is standard input")
	cli.AllFlag(c, &format)
	cli.OutputFlag(c, &format)
	cli.ConfineFlag(c)
	c.MarkFlagsMutuallyExclusive("compare", "batch")
	return c
}

// methodHelp lists the methods and the flags of each. It is made from the registry of methods: a new one documents
// itself.
func methodHelp() string {
	lines := grouped.Each(method.Methods(), func(m string) string {
		flags := grouped.Each(method.MethodOptions(m), func(key string) string { return "--" + flagOf(key) })
		return fmt.Sprintf("  %-18s %s", m, strings.Join(flags, " "))
	})
	return strings.Join(lines, "\n")
}

// runHeadroom sizes one link by one method. An error of the method is wrong usage: a speed or a length for which it has
// no number.
func runHeadroom(cmd *cobra.Command, q request, format cli.Output) error {
	j, e, err := q.explain()
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	return headroomReport(e, j, format.All()).Print(cmd, format, headroomDocument(e, j), cli.ExitFine)
}
