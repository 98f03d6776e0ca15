package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// schemas is where the verb schema has what it prints.
const schemas = "../internal/cli/reference/schemas"

var rewrite = flag.Bool("rewrite", false, "write the schemas of documents anew")

// Each document has the schema of its Go type, and no other schema is there.
func TestSchemasAreOfTheTypes(t *testing.T) {
	require.NotEmpty(t, report.Documents())
	want := map[string]bool{}
	for _, d := range report.Documents() {
		file := filepath.Join(schemas, d.Name+".json")
		want[file] = true
		text := schemaText(t, d.What, d.Of)
		if *rewrite {
			require.NoError(t, os.WriteFile(file, text, 0o600))
		}
		have, err := os.ReadFile(file)
		require.NoError(t, err, again)
		require.Equal(t, string(text), string(have), again)
	}
	files, err := filepath.Glob(filepath.Join(schemas, "*"))
	require.NoError(t, err)
	for _, file := range files {
		require.True(t, want[file], "%s is of no document", file)
	}
}

const again = "run go test ./report -run TestSchemasAreOfTheTypes -rewrite"

// schemaText is the schema of a document by its Go type.
func schemaText(t *testing.T, what string, of any) []byte {
	t.Helper()
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
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, text, "", "  "))
	out.WriteByte('\n')
	return out.Bytes()
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
