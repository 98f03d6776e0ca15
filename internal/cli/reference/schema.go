package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// schema prints JSON Schemas: of the files that people write, for their editors, and of the documents that other
// programs read.

const schemaLong = `schema prints the JSON Schema of a file or document, or lists them without NAME.

An editor completes a topology and marks what is not accepted, if its first line names the schema:
  # yaml-language-server: $schema=topology.schema.json
where topology.schema.json is the output of cellwarden schema topology.

`

// schemaCommand prints a schema or lists them. The names are those of the documents without "cellwarden." and "/v1".
func schemaCommand() *cobra.Command {
	// Completion offers them, as ValidArgs.
	names := []string{"topology"}
	for _, d := range report.Documents() {
		names = append(names, d.Name)
	}
	return &cobra.Command{
		Use:       "schema [NAME]",
		Short:     "Print the JSON Schema of a file or document",
		Long:      schemaLong + cli.ExitCodes,
		Example:   "  cellwarden schema topology > topology.schema.json",
		Args:      cli.Args(0, 1),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Failure(listSchemas(cmd.OutOrStdout()))
			}
			// The schema of a topology is a file, written by hand: it has texts and ranges for editors. Those of
			// documents come from their types. It is printed as it is written.
			if args[0] == "topology" {
				_, err := cmd.OutOrStdout().Write(topology.Schema())
				return cli.Failure(err)
			}
			for _, d := range report.Documents() {
				if d.Name == args[0] {
					return cli.Failure(writeSchema(cmd.OutOrStdout(), d.What, d.Of))
				}
			}
			return fmt.Errorf("schema %q (want %s)", args[0], strings.Join(names, ", "))
		},
	}
}

// listSchemas prints the names. The topology comes first: it is the one file that people write.
func listSchemas(w io.Writer) error {
	s := cli.Section{Title: "Schemas", Columns: []string{"name", "of"}}
	s.Row("topology", "the file that plan and other verbs read")
	for _, d := range report.Documents() {
		s.Row(d.Name, d.What)
	}
	return (&cli.Screen{Sections: []cli.Section{s}}).WriteText(w)
}

// writeSchema prints the schema of a document by its Go type. It is made from the Go type by reflection, at each call:
// there is no file that could be older than the type.
func writeSchema(w io.Writer, what string, of any) error {
	// Further properties are allowed, because a later version may add some to a document. ExpandedStruct has the
	// document's own properties at the top and not behind a reference; Anonymous leaves out the identifiers that would
	// be made of Go's package paths.
	r := jsonschema.Reflector{Mapper: schemaOf, ExpandedStruct: true, AllowAdditionalProperties: true, Anonymous: true,
		// Packages have types of one name.
		Namer: func(t reflect.Type) string {
			if t.Name() == "" || t.PkgPath() == "" {
				return "" // a list, or a type of the language: it has no definition of its own
			}
			return path.Base(t.PkgPath()) + "." + t.Name()
		}}
	s := r.Reflect(of)
	// The reflector has no place for a title, so it is set on the result.
	s.Title = "cellwarden: " + what
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err = w.Write(out.Bytes())
	return err
}

// schemaOf gives the schema of the types that write themselves in a form of their own. The reflector would see their Go
// kinds, which is not what they are in JSON.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[report.Metres]():
		return &jsonschema.Schema{Type: "number", Description: "metres"}
	// The values are examples: a frame, a speed and a length that are usual.
	case reflect.TypeFor[unit.Bytes]():
		return numberOrText(unit.Bytes(9216))
	case reflect.TypeFor[unit.BitRate]():
		return numberOrText(400 * unit.Gbps)
	case reflect.TypeFor[unit.Length]():
		return numberOrText(300 * unit.Metre)
	}
	return nil
}

// numberOrText looks at how a quantity is written: as a number, or as a text with its unit. An example is encoded to
// find out: the type's own MarshalJSON decides, and not a list here.
func numberOrText(example any) *jsonschema.Schema {
	text, err := json.Marshal(example)
	// A text has its unit in it, and its example shows how. A number is in the type's own unit, such as bytes or bit/s.
	if err == nil && len(text) > 0 && text[0] == '"' {
		return &jsonschema.Schema{Type: "string", Examples: []any{example}}
	}
	return &jsonschema.Schema{Type: "integer"}
}
