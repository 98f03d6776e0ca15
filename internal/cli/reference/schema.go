package reference

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// schema prints JSON Schemas: of the files that people write, for their editors, and of the documents that other
// programs read.

// schemas has the schema of each document. A test makes them from the Go types: what makes them would cost every
// command the time of its start.
//
//go:embed schemas/*.json
var schemas embed.FS

// SchemaCommand prints a schema or lists them. The names are those of the documents without "cellwarden." and "/v1".
func SchemaCommand() *cobra.Command {
	// Completion offers them, as ValidArgs.
	names := []string{"topology"}
	for _, d := range report.Documents() {
		names = append(names, d.Name)
	}
	c := cli.Command("schema", cli.Args(0, 1), func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cli.Failure(listSchemas(cmd.OutOrStdout()))
		}
		if !slices.Contains(names, args[0]) {
			return fmt.Errorf("schema %q (want %s)", args[0], strings.Join(names, ", "))
		}
		// The schema of a topology is written by hand: it has texts and ranges for editors. Each is printed as
		// it is written.
		text := topology.Schema()
		if args[0] != "topology" {
			var err error
			if text, err = schemas.ReadFile("schemas/" + args[0] + ".json"); err != nil {
				return cli.Failure(err)
			}
		}
		_, err := cmd.OutOrStdout().Write(text)
		return cli.Failure(err)
	})
	c.ValidArgs = names
	return c
}

// listSchemas prints the names. The topology comes first: it is the one file that people write.
func listSchemas(w io.Writer) error {
	s := cli.Table("", "Schemas", "name", "of")
	s.Row("topology", "the file that plan and other verbs read")
	for _, d := range report.Documents() {
		s.Row(d.Name, d.What)
	}
	return (&cli.Screen{Sections: []cli.Section{s}}).WriteText(w)
}
