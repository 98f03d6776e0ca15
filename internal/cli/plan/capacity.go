package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/first"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	sizecli "github.com/cellwarden/cellwarden/internal/cli/size"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// capacity asks how much further a topology goes. Package capacity answers; this file reads and prints.

// CapacityCommand makes the verb. Its flags come from four places, since it answers for one topology or many, and for
// an incast: what does not go together is refused before anything is read.
func CapacityCommand() *cobra.Command {
	var format cli.Output
	var only []string
	var many manyTopologies
	var burst sizecli.BurstFlags
	c := cli.Command("capacity", cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
		// The burst is another question about the same plan, with an answer of its own: it takes the place of the
		// others. --burst takes one topology, because its answer is a table of its own for each.
		if burst.Wanted && len(args) == 1 && !many.wanted(args) && !cmd.Flags().Changed("only") {
			return burst.Run(cmd, args[0], format)
		}
		// What remains is a run that would not read these flags. A flag without an effect is refused, so that
		// nobody takes the answer for that of the flag.
		for _, name := range []string{"burst", "incast", "frame"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s: accepted with --burst and one topology, without --only", name)
			}
		}
		// No names stand for all questions.
		questions, err := capacity.ParseQuestions(only...)
		if err != nil {
			err = fmt.Errorf("--only: %w", err)
		}
		if err := errors.Join(err, many.check(args)); err != nil {
			return err
		}
		// The arguments are outputs of parts then, and no topologies.
		if many.shard.merge {
			return mergeParts(cmd, args)
		}
		if many.wanted(args) {
			return runCapacities(cmd, &many, args, questions)
		}
		file, changes, err := inputs.ReadTopology(cmd, args[0])
		if err != nil {
			return err
		}
		ctx := cmd.Context()
		// A question admits the intent dozens of times, so that a large switch takes seconds and an interruption
		// has to be seen.
		answers, err := capacity.AskUntil(ctx.Err, file.Intent, file.CapacityEntries(), questions...)
		// Answers of some questions would look like those of all.
		if ctx.Err() != nil {
			return cli.ExitWith(cli.ExitFailure, fmt.Errorf("stopped before all questions were answered: %w", ctx.Err()))
		}
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", args[0], err))
		}
		// The answers hold for the topology as it is, whether it fits or not: the verdict above them says which.
		admission, err := buffer.NewAdmission(file.Intent)
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		doc := report.Capacity(file.Intent, admission, answers)
		doc.Set = changes
		screen := capacityReport(&doc, admission, valueIn(cmd, &format, file.Intent.Chip.Cell))
		// The answers are printed all the same: what does fit is of most use to someone whose topology does not.
		return screen.Print(cmd, format, doc, cli.CodeIf(!doc.Fits, cli.ExitNoFit))
	})
	cli.TopologyFlags(c, &format)
	many.register(c)
	burst.Register(c)
	c.Flags().StringSliceVar(&only, "only", nil, "questions to answer: "+
		strings.Join(capacity.QuestionNames(), ", ")+" (default: all)")
	return c
}

// runCapacities answers for many topologies, in JSON Lines. An error of one topology is the answer of its line.
func runCapacities(cmd *cobra.Command, many *manyTopologies, args []string, questions []capacity.Question) error {
	if err := onlyLines(cmd, "output", "table", "tables", "units", "full"); err != nil {
		return err
	}
	return many.run(cmd, args, func(file *topology.File, a *buffer.Admission, to *report.Answer) error {
		// The questions make admissions of their own: this one is for the verdict of the line.
		answers, err := capacity.AskUntil(cmd.Context().Err, file.Intent, file.CapacityEntries(), questions...)
		if err == nil { // a line has the document that the verb prints for one topology
			to.Answers = new(report.Capacity(file.Intent, a, answers))
		}
		return err
	})
}

// valueIn returns what prints an answer in the unit of --units. Programs read the answer as it is, unless they ask. The
// unit of an answer is not that of the tables: most answers are lengths or numbers of ports and have none.
func valueIn(cmd *cobra.Command, o *cli.Output, cell cells.Size) func(*report.CapacityAnswer) string {
	return func(a *report.CapacityAnswer) string {
		if o.Format != "table" && !cmd.Flags().Changed("units") {
			return a.Value
		}
		return first.Value(a, cell, o.Units())
	}
}

// capacityReport is the answers as a table; in prints one. binding is the refusal of the step beyond the answer, then
// is the value of the limit that would come next, and next what that limit is.
func capacityReport(d *report.CapacityDocument, a *buffer.Admission,
	in func(*report.CapacityAnswer) string) *cli.Screen {
	// The verdict is that of plan in the same words, so that a reader of both sees the same.
	verdict := "FITS as it is"
	if d.Verdict == report.FitsAsPlaced {
		verdict = "FITS as it is IF the ports take the pipes in turn, which is assumed"
	}
	// The sharing is named in the verdict, since a pool that is oversubscribed fits by promising more than it has.
	if d.HeadroomShared != "" {
		verdict += ", with headroom shared " + d.HeadroomShared
	}
	// The first port that is refused is named with what it lacks, as plan does.
	if denied, refused := a.FirstDenied(); refused {
		verdict = fmt.Sprintf("DOES NOT FIT as it is: %s, first %s: %v",
			cli.Plural(len(a.Denied()), "port is refused", "ports are refused"), denied.Port, denied.Shortfall)
	}
	// then and next are empty where nothing would refuse, or where it is not known.
	s := cli.Section{Name: "answers", Title: "How far it goes, all else as it is",
		Columns: []string{"question", "ports", "answer", "binding", "then", "next"}}
	for i := range d.Answers {
		x := &d.Answers[i]
		// A question that has no meaning for this topology keeps its row, with the reason. A missing row would look
		// like a limit that was not found.
		if x.State == string(capacity.NotAsked) {
			s.Row(x.Question, x.Ports, x.Value, "not asked: "+x.Why, "", "")
			continue
		}
		value := in(x)
		// The name of a placement says little by itself; the number of ports that fit with it is the answer.
		if x.Question == string(capacity.Placement) {
			value = fmt.Sprintf("%s, %s", x.Value, cli.Plural(int(*x.ValueN), "port fits", "ports fit"))
		}
		s.Row(x.Question, x.Ports, value, x.Binding, x.NextValue, x.NextLimit)
	}
	verdict += cli.ChangedText(d.Set)
	r := &cli.Screen{Sections: []cli.Section{s}, First: first.Capacity(d, verdict, in)}
	// Both screens begin with the same lines.
	r.Head, r.Mood = r.First.Head, r.First.Mood
	// Without the key pipe, which slice a port is charged in is an assumption; other pipes can have other answers.
	if len(a.Ways()) > 0 {
		r.Foot = []string{"the answers hold for the pipes that the plan assumes: the ports take them in turn"}
		r.First.Foot = append(r.Foot, r.First.Foot...)
	}
	return r
}
