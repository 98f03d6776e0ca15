package main

import (
	"github.com/spf13/cobra"
)

// version says which cellwarden this is. The Go toolchain writes it into the program.

func versionCommand() *cobra.Command {
	var format output
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the module, the commit and the version of Go",
		Long:  "version prints the version of the module, the commit and the version of Go.\n\n" + exitCodes,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			v := readVersion()
			return failure((&report{head: []string{v.String()}}).write(cmd.OutOrStdout(), format, v))
		},
	}
	outputFlag(c, &format)
	return c
}
