package internal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/jsonscan"
)

// Example prints the texts and numbers of a document with their lines.
func Example_jsonscan() {
	s := jsonscan.New("{\"PORT\":\n{\"speed\": 100000}\n}")
	for range 7 {
		if t := s.Next(); t.Text != "" {
			fmt.Println(s.Line(), t.Text)
		}
	}
	// Output:
	// 1 PORT
	// 2 speed
	// 2 100000
}

func TestJsonscanCheck(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "0 empty: want it",
		"{\n\"a\": [":               "2 the document ends before its last bracket: want it",
		"{}\n{}":                    "2 no JSON: invalid character '{' after top-level value: want it",
		"{\"a\": 1,\n\"b\" 2}":      "2 no JSON: invalid character '2' after object key: want it",
		"\n\nx":                     "3 no JSON: invalid character 'x' looking for beginning of value: want it",
		`{"a": [1, -2.5e3, null] }`: "0 <nil>",
	} {
		line, err := jsonscan.Check([]byte(text), "want it")
		require.Equal(t, want, fmt.Sprint(line, " ", err), text)
	}
}

// TestJsonscanLineBreaksInTexts reads what JSON does not allow and the readers of some programs do: the lines are those of the
// text as it is.
func TestJsonscanLineBreaksInTexts(t *testing.T) {
	text := "{\"a\": \"\n---\n\tb: \\\"1\\\"\n\",\n\"c\": \"x\ny\"}"
	require.False(t, json.Valid([]byte(text)))
	flat := jsonscan.Flat([]byte(text))
	require.True(t, json.Valid(flat))
	require.Len(t, flat, len(text))
	var got []string
	for s := jsonscan.New(text); s.More() || len(got) == 0; {
		if t := s.Next(); t.Kind != '{' {
			got = append(got, fmt.Sprintf("%d %q", s.Line(), t.Text))
		} else {
			got = append(got, "{")
		}
	}
	require.Equal(t, []string{"{", `1 "a"`, `4 " ---  b: \"1\" "`, `5 "c"`, `6 "x\ny"`}, got)
}

// FuzzJsonscanScanner reads any JSON: the tokens are those of encoding/json, and a line is as many line feeds as stand before
// it.
func FuzzJsonscanScanner(f *testing.F) {
	for _, text := range []string{`{"a": [1, true, null, "x\n\u00e9", -0.5e+3], "b": {}}`, "[\n[\n\n\"a\"\n,2]]", `"\\\""`,
		"7", "{\"a\":\r\n\t{\"b\"\n: [\n]}}", "\"\xff\""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := jsonscan.Check(data, "want JSON")
		require.Equal(t, json.Valid(data), err == nil)
		if err != nil {
			return
		}
		d := json.NewDecoder(strings.NewReader(string(data)))
		d.UseNumber()
		for s := jsonscan.New(string(data)); ; {
			want, err := d.Token()
			if err != nil {
				require.False(t, s.More())
				return
			}
			require.Equal(t, d.More(), func() bool { got := s.Next(); require.Equal(t, want, value(got)); return s.More() }())
			require.LessOrEqual(t, s.Line(), 1+strings.Count(string(data), "\n"))
		}
	})
}

// value is a token as encoding/json has it.
func value(t jsonscan.Token) json.Token {
	switch t.Kind {
	case '"':
		return t.Text
	case '0':
		return json.Number(t.Text)
	case 't':
		return t.Text == "true"
	case 'n':
		return nil
	}
	return json.Delim(t.Kind)
}
