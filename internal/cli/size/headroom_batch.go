package size

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// runBatch answers JSON lines with JSON lines. Keys that a line does not have
// are taken from the flags. A line that cannot be answered gets its complaint,
// and the other lines their answers. The answers are in the order of the lines, one for each line that is not empty, so
// that a program can pair them. It ends with exit code 2 if any line had an error, after all were answered.
func runBatch(cmd *cobra.Command, file string) error {
	_, data, err := cli.ReadInput(cmd, file)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// Counted before the first answer: a batch that is refused gives none.
	if n := bytes.Count(data, []byte("\n")); n > MostBatchLines {
		return cli.BadUsage("%s: %d lines (want at most %d)", file, n, MostBatchLines)
	}
	flags := requestOf(cmd)
	// Lines name files as flags do, relative to the working directory: "batch" is a name in it. Another
	// program may write a batch to standard input: its files are then confined to that directory.
	beside := file
	if file != "-" {
		beside = "batch"
	}
	flags.open = cli.Beside(cmd, beside, false)
	// A write for each of 100,000 lines would be most of the time.
	out := bufio.NewWriter(cmd.OutOrStdout())
	var answers bytes.Buffer
	encoder := json.NewEncoder(&answers)
	encoder.SetEscapeHTML(false)
	// number counts the lines of the file, asked those that are not empty, and failed those whose answer is an error.
	number, asked, failed := 0, 0, 0
	for line := range bytes.Lines(data) {
		// What was answered is printed as whole lines.
		if cmd.Context().Err() != nil {
			return cli.ExitWith(cli.ExitFailure, errors.Join(fmt.Errorf("interrupted after %d lines", number), out.Flush()))
		}
		number++
		// An empty line has no answer and keeps its number, so that answers with an error name the line of the file.
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		asked++
		var answer any
		if answer, err = batchLine(line, flags); err != nil {
			// The answer of a line with an error has its number in the file, from 1.
			failed++
			// The batch goes on, since one bad line of thousands must not cost the others.
			answer = batchError{number, err.Error()}
		}
		// One buffer serves all lines. PlainJSON looks for characters that a terminal would act on.
		answers.Reset()
		if err := encoder.Encode(answer); err != nil {
			return cli.ExitWith(cli.ExitFailure, err)
		}
		if _, err := out.Write(cli.PlainJSON(answers.Bytes())); err != nil {
			return cli.ExitWith(cli.ExitFailure, err)
		}
	}
	if err := out.Flush(); err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	if failed > 0 {
		return cli.BadUsage("%s: %d of %d lines have errors", file, failed, asked)
	}
	return nil
}

// Bounds of a batch. A line with every key has less than 1,000 bytes.
const (
	MostBatchLines = 100_000
	mostBatchLine  = 16 << 10 // bytes
)

// batchError is the answer to a line that cannot be answered. The key error is in no other answer, by which a program
// tells the two apart.
type batchError struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// batchLine answers one line. others are the keys that it does not have. The document is that of the command with one
// link, without its schema being asked for again.
func batchLine(line []byte, others request) (any, error) {
	q, err := parseRequest(line, others)
	if err != nil {
		return nil, err
	}
	j, e, err := q.explain()
	if err != nil {
		return nil, err
	}
	return headroomDocument(e, j), nil
}

// parseRequest reads a JSON object whose values are texts, numbers or truth
// values. Maps are copied and the files that were read are shared: a line changes no other line. Keys are sorted, so
// that several complaints of one line have an order.
func parseRequest(line []byte, others request) (request, error) {
	q := request{text: maps.Clone(others.text), open: others.open, read: others.read}
	if len(line) > mostBatchLine {
		return q, fmt.Errorf("a line of %d bytes (want at most %d)", len(line), mostBatchLine)
	}
	// An object with a key twice has its last value, as encoding/json reads it.
	decoder := json.NewDecoder(bytes.NewReader(line))
	// A number stays the text that it is: a float64 would change 16 digits. null decodes into a map without an
	// error, too.
	decoder.UseNumber()
	var raw map[string]any
	if err := decoder.Decode(&raw); err != nil {
		return q, fmt.Errorf("not a JSON object: %w", err)
	}
	if raw == nil {
		return q, errors.New("not a JSON object: null")
	}
	// The second object would be lost without a word, and answers would no longer match lines.
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return q, errors.New("more than one JSON object on the line")
	}
	var bad []error
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		if !slices.ContainsFunc(requestKeys, func(k requestKey) bool { return k.name == key && !k.credits }) {
			bad = append(bad, fmt.Errorf("%s: unknown key (want the flags' names with _ for -)", fielderr.Names([]string{key})))
			continue
		}
		switch v := raw[key].(type) {
		case string:
			// Texts are repeated in answers and messages, so that a control character would reach a terminal.
			if fielderr.Escape(v, false) != v {
				bad = append(bad, fmt.Errorf("%s: %s (want characters that print)", key, fielderr.Quote(v)))
				continue
			}
			q.text[key] = v
		// They become the texts that a flag would have, so that one parser reads both.
		case json.Number, bool:
			q.text[key] = fmt.Sprint(v)
		default:
			bad = append(bad, fmt.Errorf("%s (want text, a number, true or false)", key))
		}
	}
	return q, fielderr.Join(bad...)
}
