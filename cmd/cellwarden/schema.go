package main

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

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	publish "github.com/cellwarden/cellwarden/report"
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

// documents are the documents whose schema follows from a Go type: name, what writes or reads it, and the type.
var documents = []struct {
	name, what string
	of         any
}{
	{"chip", "a chip file, as asic show NAME -o json prints it", buffer.Chip{}},
	{"plan", "plan -o json", planDocument{}},
	{"plan-compare", "plan --compare -o json", planCompareJSON{}},
	{"diff", "diff -o json", publish.DiffDocument{}},
	{"capacity", "capacity -o json", publish.CapacityDocument{}},
	{"explain", "explain -o json", publish.ExplainDocument{}},
	{"burst", "burst -o json", publish.BurstDocument{}},
	{"risk", "risk -o json", riskJSON{}},
	{"link", "link -o json", linkJSON{}},
	{"answer", "a line of plan --lines, capacity --lines and sweep -o jsonl", publish.Answer{}},
	{"headroom", "headroom -o json", headroomJSON{}},
	{"headroom-compare", "headroom --compare -o json", compareJSON{}},
	{"headroom-credits", "headroom --compare --with cbfc -o json", creditsJSON{}},
	{"llr", "llr -o json", llrSizesJSON{}},
	{"llr-table", "llr FILE -o json", llrTableJSON{}},
	{"verify", "verify -o json", sim.Verification{}},
	{"apply", "apply -o json, resume -o json", applyJSON{}},
	{"apply-many", "apply --targets -o json", applyManyJSON{}},
	{"drift", "drift -o json", driftJSON{}},
	{"drift-many", "drift --targets -o json", driftManyJSON{}},
	{"watch", "watch -o json", publish.WatchDocument{}},
	{"audit", "audit -o json", auditJSON{}},
	{"audit-baseline", "a file of accepted findings, as audit --write-baseline writes it", baselineJSON{}},
	{"import", "import --report json", importJSON{}},
	{"probe", "probe -o json", probeJSON{}},
	{"sim", "sim -o json", simJSON{}},
	{"calibrate", "calibrate -o json", calibrateJSON{}},
}

func schemaCommand() *cobra.Command {
	names := []string{"topology"}
	for _, d := range documents {
		names = append(names, d.name)
	}
	return &cobra.Command{
		Use:       "schema [NAME]",
		Short:     "Print the JSON Schema of a file or document",
		Long:      schemaLong + exitCodes,
		Example:   "  cellwarden schema topology > topology.schema.json",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failure(listSchemas(cmd.OutOrStdout()))
			}
			if args[0] == "topology" {
				_, err := cmd.OutOrStdout().Write(topology.Schema())
				return failure(err)
			}
			for _, d := range documents {
				if d.name == args[0] {
					return failure(writeSchema(cmd.OutOrStdout(), d.what, d.of))
				}
			}
			return fmt.Errorf("schema %q: accepted: %s", args[0], strings.Join(names, ", "))
		},
	}
}

func listSchemas(w io.Writer) error {
	s := section{title: "Schemas", columns: []string{"name", "of"}}
	s.row("topology", "the file that plan and other verbs read")
	for _, d := range documents {
		s.row(d.name, d.what)
	}
	return (&report{sections: []section{s}}).writeText(w, "table")
}

// writeSchema prints the schema of a document by its Go type.
func writeSchema(w io.Writer, what string, of any) error {
	r := jsonschema.Reflector{Mapper: schemaOf, ExpandedStruct: true, AllowAdditionalProperties: true, Anonymous: true,
		// Packages have types of one name.
		Namer: func(t reflect.Type) string {
			if t.Name() == "" || t.PkgPath() == "" {
				return "" // a list, or a type of the language: it has no definition of its own
			}
			return path.Base(t.PkgPath()) + "." + t.Name()
		}}
	s := r.Reflect(of)
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

// schemaOf gives the schema of the types that write themselves in a form of their own.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[publish.Metres]():
		return &jsonschema.Schema{Type: "number", Description: "metres"}
	case reflect.TypeFor[unit.Bytes]():
		return numberOrText(unit.Bytes(9216))
	case reflect.TypeFor[unit.BitRate]():
		return numberOrText(400 * unit.Gbps)
	case reflect.TypeFor[unit.Length]():
		return numberOrText(300 * unit.Metre)
	}
	return nil
}

// numberOrText looks at how a quantity is written: as a number, or as a text with its unit.
func numberOrText(example any) *jsonschema.Schema {
	text, err := json.Marshal(example)
	if err == nil && len(text) > 0 && text[0] == '"' {
		return &jsonschema.Schema{Type: "string", Examples: []any{example}}
	}
	return &jsonschema.Schema{Type: "integer"}
}
