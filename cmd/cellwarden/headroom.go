package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/thresholds/method"
)

// headroomCommand returns the headroom command.
func headroomCommand() *cobra.Command {
	var format output
	var batch string
	var compare, explain bool
	c := &cobra.Command{
		Use:   "headroom",
		Short: "Size the headroom of one lossless group, term by term, by one method or by all",
		Long: "headroom sizes one lossless group at the end of one link, prints every term with its source, and " +
			"shows the ways to turn\n" +
			"bytes on the wire into cells of the chip. The methods disagree by factors; --compare prints them side " +
			"by side.\n" +
			"--batch reads JSON lines with the names of the flags (_ for -) and writes a line of JSON for each; " +
			"what a line does not say is\n" +
			"taken from the flags.\n\n" + methodHelp() + "\n" + exitCodes,
		Example: "  cellwarden headroom --method ieee802.1qbb --speed 10G --cable 100m --mtu 9216B --lossless-mtu " +
			"2300B --cell 416B --frame 64B\n" +
			"  cellwarden headroom --method sonic-dynamic --chip spectrum-3 --speed 100G --cable 300m --mtu 9100B " +
			"--lossless-mtu 1024B\n" +
			"  cellwarden headroom --speed 400G --cable 300m --compare",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			switch {
			case batch != "":
				return runBatch(cmd, batch)
			case compare:
				return runCompare(cmd, requestOf(cmd), format)
			default:
				return runHeadroom(cmd, requestOf(cmd), format, explain)
			}
		},
	}
	for _, k := range requestKeys {
		c.Flags().String(k.flag(), k.standard, k.help)
		if k.boolean {
			c.Flags().Lookup(k.flag()).NoOptDefVal = "true"
		}
	}
	c.Flags().BoolVar(&compare, "compare", false, "print every method for this link in one table")
	c.Flags().StringVar(&batch, "batch", "", "file of JSON lines to answer, - for standard input")
	c.Flags().BoolVar(&explain, "explain", false, "print the parts of every term and what kind of source each has")
	outputFlag(c, &format)
	c.MarkFlagsMutuallyExclusive("compare", "batch")
	return c
}

// methodHelp lists the methods and the flags of each.
func methodHelp() string {
	var out strings.Builder
	out.WriteString("Methods, and the flags that belong to one:\n")
	for _, m := range method.Methods() {
		var flags []string
		for _, k := range method.MethodOptions(m) {
			flags = append(flags, "--"+strings.ReplaceAll(k, "_", "-"))
		}
		fmt.Fprintf(&out, "  %-18s %s\n", m, strings.Join(flags, " "))
	}
	return out.String()
}

// runHeadroom sizes one link by one method.
func runHeadroom(cmd *cobra.Command, q request, format output, explain bool) error {
	j, err := q.job()
	if err != nil {
		return err
	}
	e, err := j.sizer.Explain(j.link, j.memory)
	if err != nil {
		return exit{exitUsage, err}
	}
	return failure(headroomReport(e, j, explain).write(cmd.OutOrStdout(), format, headroomDocument(e, j)))
}
