package oc

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// TestGeneratedFileIsCurrent runs the generator and compares what it writes with oc.go as it stands.
func TestGeneratedFileIsCurrent(t *testing.T) {
	effort.SkipShort(t, "runs the generator; left out with -short")
	readInputs(t)
	committed, err := os.ReadFile("oc.go")
	require.NoError(t, err)

	output := filepath.Join(t.TempDir(), "oc.go")
	printed, err := exec.Command("go", "run", "gen_main.go", "-o", output).CombinedOutput()
	require.NoError(t, err, "%s", printed)
	generated, err := os.ReadFile(output)
	require.NoError(t, err)

	if bytes.Equal(generated, committed) {
		return
	}
	// The schema is in the file as compressed bytes, and a Go release may
	// compress better than the one before it. That alone is no difference.
	committedCode, committedSchema := splitSchema(t, committed)
	generatedCode, generatedSchema := splitSchema(t, generated)
	if generatedCode != committedCode || generatedSchema != committedSchema {
		t.Fatal("oc.go is not what the generator makes of the modules in yang: run go generate ./internal/oc")
	}
	t.Log("oc.go differs only in how its schema is compressed")
}

// readInputs reads the files from which oc.go is made. The generator reads them in another process; reading them here
// as well tells go test that its cached result depends on them.
func readInputs(t *testing.T) {
	t.Helper()
	inputs, err := filepath.Glob("yang/*.yang")
	require.NoError(t, err)
	require.NotEmpty(t, inputs)
	for _, input := range append(inputs, "gen_main.go") {
		_, err := os.ReadFile(input)
		require.NoError(t, err)
	}
}

var (
	schemaBytes = regexp.MustCompile(`(?s)ySchema = \[\]byte\{(.*?)\n\t\}`)
	hexByte     = regexp.MustCompile(`0x[0-9a-f]{2}`)
)

// splitSchema separates the source of oc.go into the code around the compressed schema and the schema, decompressed.
func splitSchema(t *testing.T, source []byte) (code, schema string) {
	t.Helper()
	at := schemaBytes.FindSubmatchIndex(source)
	require.NotNil(t, at, "no schema in the source")

	var compressed []byte
	for _, digits := range hexByte.FindAll(source[at[2]:at[3]], -1) {
		value, err := strconv.ParseUint(string(digits), 0, 8)
		require.NoError(t, err)
		compressed = append(compressed, byte(value))
	}
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	require.NoError(t, err)
	plain, err := io.ReadAll(reader)
	require.NoError(t, err)
	return string(source[:at[2]]) + string(source[at[3]:]), string(plain)
}

// TestGeneratedFileNamesNoMachine checks that oc.go has no paths of the machine on which it was generated.
func TestGeneratedFileNamesNoMachine(t *testing.T) {
	source, err := os.ReadFile("oc.go")
	require.NoError(t, err)
	code, schema := splitSchema(t, source)
	here, err := os.Getwd()
	require.NoError(t, err)

	for _, text := range []string{code, schema} {
		require.NotContains(t, text, here)
		require.NotContains(t, text, "/pkg/mod/")
		require.NotContains(t, text, ".yang")
	}
}
