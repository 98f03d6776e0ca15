package plan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/ordered"
	"github.com/cellwarden/cellwarden/internal/topologies"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// This file answers for many topologies: several files, folders of files, or JSON Lines. The answers are JSON Lines in
// the order of the topologies, whatever the number of workers; memory does not grow with their number.

// manyTopologies are the flags of a verb that answers for many topologies. lines is a path, "-" for standard input.
type manyTopologies struct {
	lines string
	shard shards
	full  bool
}

// register adds the flags to a command.
func (m *manyTopologies) register(c *cobra.Command) {
	c.Flags().StringVar(&m.lines, "lines", "",
		"answer for each line of this file, a topology as JSON; - is standard input")
	m.shard.register(c)
	c.Flags().BoolVar(&m.full, "full", false, "with many topologies: the whole plan of each in the answer")
}

// wanted tells whether many topologies are asked for: lines, several files, or a folder. A single file is one topology,
// with all formats of the verb.
func (m *manyTopologies) wanted(args []string) bool {
	return m.lines != "" || len(args) > 1 || len(args) == 1 && topologies.IsFolder(args[0])
}

// check refuses flags that do not go together. The shard of a whole run is the zero shard.
func (m *manyTopologies) check(args []string) error {
	switch {
	// The arguments are parts of answers then, and no topologies.
	case m.shard.merge:
		return nil
	case m.lines != "" && len(args) > 0:
		return errors.New("--lines and files (want one of them)")
	case m.lines == "" && len(args) == 0:
		return errors.New("no topology (want a file, several, a folder, or --lines)")
	case m.shard.jobs < 0 || m.shard.jobs > 4096:
		return fmt.Errorf("--jobs %d (want 0 (one for each processor) to 4096)", m.shard.jobs)
	case !m.wanted(args) && (!m.shard.Whole() || m.full):
		return errors.New("--shard and --full: accepted with --lines, several files or a folder")
	}
	return nil
}

// manyGC is how far the heap grows before it is collected, in percent of what is in use, which is a few MiB. Go's own
// value is 100.
const manyGC = 600

// totals is the count of answers by their outcome. The three are numbers of topologies, or of points of a sweep.
type totals struct{ fit, refused, failed int }

// count counts an answer.
func (t *totals) count(a *report.Answer) {
	switch {
	case a.Error != "":
		t.failed++
	case a.Fits:
		t.fit++
	default:
		t.refused++
	}
}

// all is the number of answers.
func (t totals) all() int { return t.fit + t.refused + t.failed }

// code is the exit code of the worst answer. A topology that does not fit is worse than one that cannot be planned: the
// second is a mistake in a file, and is said in its line.
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
	return fmt.Sprintf("%s: %s fit, %s do not, %s cannot be planned", cli.Plural(t.all(), one, many),
		cli.Count(t.fit), cli.Count(t.refused), cli.Count(t.failed))
}

// answerFunc adds to the answer for one topology what a verb says more of it. It is called by several goroutines at a
// time, and an error is the answer of its topology.
type answerFunc func(file *topology.File, a *buffer.Admission, to *report.Answer) error

// run answers for all topologies, and prints the totals on standard error. Work is handed out in batches of topologies,
// because a small one takes less time than handing it over. The results are written in the order of the batches by one
// goroutine.
func (m *manyTopologies) run(cmd *cobra.Command, args []string, add answerFunc) error {
	// --set holds for every topology; one that does not have the key is answered with an error.
	changes := cli.ChangesOf(cmd)
	source, err := m.source(cmd, args)
	if err != nil {
		return err
	}
	type answered struct {
		text   []byte
		totals totals
	}
	work := func(b topologies.Batch) answered {
		var out answered
		var text bytes.Buffer
		// The texts of a batch are in one buffer, which the writer gets as a whole.
		encoder := json.NewEncoder(&text)
		// JSON Lines are read by programs: < and & stand as they are, as in every other JSON of the command.
		encoder.SetEscapeHTML(false)
		for i := range b.Texts {
			a := m.one(cmd, &b, i, changes, add)
			// Every topology gets one line, also after an error, because programs count the lines.
			if err := encoder.Encode(a); err != nil {
				a = report.AnswerError(err)
				_ = encoder.Encode(a)
			}
			out.totals.count(&a)
		}
		out.text = text.Bytes()
		return out
	}
	// Each topology leaves much behind and nothing stays: collecting it less often costs memory that is bounded by the
	// workers, and saves a third of the time.
	defer debug.SetGCPercent(debug.SetGCPercent(manyGC))
	var sum totals
	// An answer is some hundred bytes. A write for each would cost more than its plan.
	w := bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)
	err = ordered.Do(cmd.Context(), m.shard.workers(), source.Next, work, func(a answered) error {
		sum = totals{sum.fit + a.totals.fit, sum.refused + a.totals.refused, sum.failed + a.totals.failed}
		_, err := w.Write(a.text)
		return err
	})
	// The trailer says that a part is whole, and a part that was cut must not have one.
	if err == nil && source.Err == nil {
		_, err = w.WriteString(m.shard.trailer(cmd, false, sum.all(), source.Question()))
	}
	// Errors of writing and of reading the source end the run; what was printed until then are whole lines.
	if err = errors.Join(err, w.Flush(), source.Err); err != nil {
		return cli.ExitWith(cli.ExitFailure, fmt.Errorf("after %v: %w", sum, err))
	}
	fmt.Fprintln(cmd.ErrOrStderr(), sum)
	// A topology that cannot be planned is no failure of the run, so its reason stands in its line and not on
	// standard error.
	return cli.Ended(nil, sum.code())
}

// one answers for one topology of a batch. Its answer has the id of the topology, also where the topology is refused,
// and else the name of its file. The line is the number of the topology among all of them, from 1.
func (m *manyTopologies) one(cmd *cobra.Command, b *topologies.Batch, i int, changes []topology.Override,
	add answerFunc) report.Answer {
	var a report.Answer
	// A file that could not be read has its error in the batch, and gets its line as well.
	file, err := &topology.File{}, b.Errs[i]
	if err == nil {
		from := b.Names[i]
		// A line of JSON Lines has no folder: it comes from a database or a pipe, and may come from someone else.
		if m.lines != "" {
			from = "-" // what a line names is beside nothing
		}
		file, err = topology.Read(b.Names[i], b.Texts[i], cli.Beside(cmd, from, m.lines != ""), changes...)
	}
	var admission *buffer.Admission
	if err == nil {
		admission, err = buffer.NewAdmission(file.Intent)
	}
	if err == nil {
		a = report.AnswerOf(admission)
		err = add(file, admission, &a)
	}
	if err != nil {
		a = report.AnswerError(err)
	}
	// File is never nil, also with an error: see topology.Read.
	a.ID, a.Line = file.ID, b.First+i
	if !m.shard.Whole() { // the numbers of a shard are not consecutive: a batch has one topology
		a.Line = b.First
	}
	// The name of the file identifies a topology without an id; a line has its number.
	if a.ID == nil && m.lines == "" {
		a.ID, _ = json.Marshal(b.Names[i])
	}
	return a
}

// source returns the topologies of the lines, or of the files. Files of folders are found before the first is planned,
// so a misspelt folder ends the run at once.
func (m *manyTopologies) source(cmd *cobra.Command, args []string) (*topologies.Source, error) {
	if m.lines == "" {
		paths, err := topologies.Files(args)
		if err != nil {
			return nil, cli.ExitWith(cli.ExitUsage, err)
		}
		// Each file is read when it is its turn, so that memory does not grow with their number.
		return topologies.OfFiles(paths, m.shard.Shard, func(file string) ([]byte, error) {
			_, text, err := cli.ReadInput(cmd, file)
			return text, err
		}), nil
	}
	// Lines are read as they come: standard input may be longer than the memory, and never end.
	if m.lines == "-" {
		return topologies.OfLines(cli.StandardInput, cmd.InOrStdin(), m.shard.Shard), nil
	}
	_, set := cli.FilesOf(cmd)
	file, err := set.Open(m.lines) // until the command ends
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return topologies.OfLines(m.lines, file, m.shard.Shard), nil
}
