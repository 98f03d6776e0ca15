package plan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/ordered"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// This file answers for many topologies: several files, folders of files, or JSON Lines. The answers are JSON Lines in
// the order of the topologies, whatever the number of workers; memory does not grow with their number.

// manyTopologies are the flags of a verb that answers for many topologies.
type manyTopologies struct {
	lines string
	shard shard
	jobs  int
	full  bool
}

// manyFlags adds the flags to a command.
func (m *manyTopologies) register(c *cobra.Command) {
	c.Flags().StringVar(&m.lines, "lines", "",
		"answer for each line of this file, a topology as JSON; - is standard input")
	shardFlag(c, &m.shard)
	c.Flags().IntVar(&m.jobs, "jobs", 0, "topologies at a time (default: one for each processor)")
	c.Flags().BoolVar(&m.full, "full", false, "with many topologies: the whole plan of each in the answer")
}

// wanted tells whether many topologies are asked for: lines, several files, or a folder.
func (m *manyTopologies) wanted(args []string) bool {
	return m.lines != "" || len(args) > 1 || len(args) == 1 && isFolder(args[0])
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// check refuses flags that do not go together.
func (m *manyTopologies) check(args []string) error {
	switch {
	case m.lines != "" && len(args) > 0:
		return errors.New("--lines and files: accepted: one of them")
	case m.lines == "" && len(args) == 0:
		return errors.New("no topology: accepted: a FILE, several, a folder, or --lines")
	case m.jobs < 0 || m.jobs > 4096:
		return fmt.Errorf("--jobs %d: accepted: 0 (one for each processor) to 4096", m.jobs)
	case !m.wanted(args) && (m.shard.of > 0 || m.full):
		return errors.New("--shard and --full: accepted with --lines, several files or a folder")
	}
	return nil
}

// workers is how many topologies are worked on at a time.
func (m *manyTopologies) workers() int {
	if m.jobs > 0 {
		return m.jobs
	}
	return runtime.GOMAXPROCS(0)
}

// batch is some topologies that one worker answers for: one at a time would cost more to hand over than to plan.
type batch struct {
	first int // number of the first, from 1
	names []string
	texts [][]byte
	errs  []error // why a text could not be read
}

// Bounds of a batch and of a line.
const (
	batchLines = 32
	batchBytes = 256 << 10
	mostLine   = 4 << 20 // a topology of buffer.MaxPorts ports in entries of their own is shorter
)

// manyGC is how far the heap grows before it is collected, in percent of what is in use, which is a few MiB.
const manyGC = 300

// totals is the count of answers by their outcome.
type totals struct{ fit, refused, failed int }

// code is the exit code of the worst answer.
func (t totals) code() int {
	switch {
	case t.refused > 0:
		return cli.ExitNoFit
	case t.failed > 0:
		return cli.ExitUsage
	}
	return cli.ExitFine
}

// String prints "100 topologies: 90 fit, 8 do not, 2 cannot be planned".
func (t totals) String() string { return t.of("topology", "topologies") }

// of prints the totals with another noun.
func (t totals) of(one, many string) string {
	return fmt.Sprintf("%s: %s fit, %s do not, %s cannot be planned", cli.Plural(t.fit+t.refused+t.failed, one, many),
		cli.Count(t.fit), cli.Count(t.refused), cli.Count(t.failed))
}

// answerFunc answers for one topology.
type answerFunc func(file *topology.File) (publish.Answer, error)

// run answers for all topologies, and prints the totals on standard error.
func (m *manyTopologies) run(cmd *cobra.Command, args []string, answer answerFunc) error {
	changes, err := cli.ChangesOf(cmd)
	if err != nil {
		return err
	}
	source, err := m.source(cmd, args)
	if err != nil {
		return err
	}
	type answered struct {
		text   []byte
		totals totals
	}
	work := func(b batch) answered {
		var out answered
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		for i := range b.texts {
			a := m.one(cmd, &b, i, changes, answer)
			if err := encoder.Encode(a); err != nil {
				a = publish.AnswerError(err)
				_ = encoder.Encode(a)
			}
			switch {
			case a.Error != "":
				out.totals.failed++
			case a.Fits:
				out.totals.fit++
			default:
				out.totals.refused++
			}
		}
		out.text = text.Bytes()
		return out
	}
	// Each topology leaves much behind and nothing stays: collecting it less often costs memory that is bounded by the
	// workers, and saves a third of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(manyGC))
	var sum totals
	w := bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)
	err = ordered.Do(cmd.Context(), m.workers(), source.next, work, func(a answered) error {
		sum = totals{sum.fit + a.totals.fit, sum.refused + a.totals.refused, sum.failed + a.totals.failed}
		_, err := w.Write(a.text)
		return err
	})
	if err = errors.Join(err, w.Flush(), source.err); err != nil {
		return cli.ExitWith(cli.ExitFailure, fmt.Errorf("after %v: %w", sum, err))
	}
	fmt.Fprintln(cmd.ErrOrStderr(), sum)
	if code := sum.code(); code != cli.ExitFine {
		return cli.Silent(code)
	}
	return nil
}

// one answers for one topology of a batch.
func (m *manyTopologies) one(cmd *cobra.Command, b *batch, i int, changes []topology.Change,
	answer answerFunc) publish.Answer {
	var a publish.Answer
	file, err := &topology.File{}, b.errs[i]
	if err == nil {
		from := b.names[i]
		if m.lines != "" {
			from = "-" // what a line names is beside nothing
		}
		file, err = topology.Read(b.names[i], b.texts[i], cli.Beside(cmd, from, m.lines != ""), changes...)
	}
	if err == nil {
		a, err = answer(file)
	}
	if err != nil {
		a = publish.AnswerError(err)
	}
	a.ID, a.Line = file.ID, b.first+i
	if m.shard.of > 0 { // the numbers of a shard are not consecutive: a batch has one topology
		a.Line = b.first
	}
	if a.ID == nil && m.lines == "" {
		a.ID, _ = json.Marshal(b.names[i])
	}
	return a
}

// source reads topologies.
type source struct {
	next func() (batch, bool)
	err  error // why it ended, after next has returned false
}

// source returns the topologies of the lines, or of the files.
func (m *manyTopologies) source(cmd *cobra.Command, args []string) (*source, error) {
	if m.lines != "" {
		return m.lineSource(cmd)
	}
	files, err := topologyFiles(args)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	s, n := &source{}, 0
	s.next = func() (batch, bool) {
		for n++; n <= len(files); n++ {
			if m.shard.has(n) {
				_, text, err := cli.ReadInput(cmd, files[n-1])
				return batch{n, files[n-1 : n], [][]byte{text}, []error{err}}, true
			}
		}
		return batch{}, false
	}
	return s, nil
}

// topologyFiles lists the files; of a folder, those whose names end in .yaml, .yml or .json, sorted.
func topologyFiles(args []string) (out []string, err error) {
	for _, arg := range args {
		if !isFolder(arg) {
			out = append(out, arg)
			continue
		}
		before := len(out)
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(out) == before {
			return nil, fmt.Errorf(
				"%s: no file with the ending .yaml, .yml or .json (accepted: a folder with topologies)",
				arg,
			)
		}
	}
	return out, nil
}

// lineSource returns the lines of --lines. An empty line is a topology without a key, and is refused.
func (m *manyTopologies) lineSource(cmd *cobra.Command) (*source, error) {
	name, in := cli.StandardInput, cmd.InOrStdin()
	if m.lines != "-" {
		_, data, err := cli.ReadInput(cmd, m.lines)
		if err != nil {
			return nil, cli.ExitWith(cli.ExitUsage, err)
		}
		name, in = m.lines, bytes.NewReader(data)
	}
	s, r, n := &source{}, bufio.NewReaderSize(in, 64<<10), 0
	s.next = func() (b batch, more bool) {
		size := 0
		for len(b.texts) < batchLines && size < batchBytes {
			line, long, err := readLine(r)
			if errors.Is(err, io.EOF) && len(line) == 0 && !long {
				break
			}
			if err != nil && !errors.Is(err, io.EOF) {
				s.err = fmt.Errorf("%s: %w", name, err)
				break
			}
			n++
			if !m.shard.has(n) {
				continue
			}
			if len(b.texts) == 0 {
				b.first = n
			}
			size += len(line)
			b.add(fmt.Sprintf("%s, line %d", name, n), line, long)
			if m.shard.of > 0 {
				break
			}
		}
		return b, len(b.texts) > 0
	}
	return s, nil
}

// add adds a topology to a batch.
func (b *batch) add(name string, text []byte, long bool) {
	var err error
	if long {
		err = fmt.Errorf("%s: longer than %d bytes (accepted: a topology as JSON on one line)", name, mostLine)
	}
	b.names, b.texts, b.errs = append(b.names, name), append(b.texts, text), append(b.errs, err)
}

// readLine reads a line of its own memory, without its end. Of a line that is too long nothing is kept.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > mostLine {
			line, long = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), long, err
		}
	}
}

// shard is one part of the work: every of-th piece, from index on. Zero: all of it.
type shard struct{ index, of int }

// shardFlag adds --shard to a command.
func shardFlag(c *cobra.Command, s *shard) {
	c.Flags().Var(s, "shard",
		"answer for a part, I/N: every N-th piece from the I-th on, I from 0 to N-1; merge puts parts together")
}

// has tells whether the n-th piece, from 1, is of the shard.
func (s shard) has(n int) bool { return s.of == 0 || (n-1)%s.of == s.index }

// Set reads "2/8".
func (s *shard) Set(text string) error {
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return errors.New("accepted: I/N with I from 0 to N-1")
	}
	*s = shard{i, n}
	return nil
}

// String prints the shard as Set reads it.
func (s *shard) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.index, s.of)
}

// Type names the kind of the flag.
func (*shard) Type() string { return "I/N" }
