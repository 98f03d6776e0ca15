package fabric

import (
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/many"
)

// read reads the file of a fabric for a question about its routes, with the dumps of tables that it names: they have no
// bound of length, so they are opened and not read as a whole; with --confine they are below the folder of the file.
func read(cmd *cobra.Command, file string, format cli.Output) (*fabric.File, error) {
	var data []byte
	var f *fabric.File
	// The format is asked first: a file is read for nothing if the answer cannot be printed.
	err := cli.CheckFormat(format)
	name := file
	if err == nil {
		name, data, err = cli.ReadInput(cmd, file)
	}
	if err == nil {
		f, err = fabric.Read(name, data)
	}
	// A file that names no dumps states its routes itself.
	if err == nil {
		err = f.Tables(many.Dumps(cmd, file))
	}
	// What cannot be read is a fault of the call, and not a verdict.
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return f, nil
}
