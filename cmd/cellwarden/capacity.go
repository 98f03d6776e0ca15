package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// capacity asks how much further a topology goes. Package capacity answers; this file reads and prints.

const capacityLong = `capacity answers how far a switch goes: the longest cable of each entry of its ports and of all ports alike, the most
ports like those of each entry, the most lossless priorities, the largest MTU, the smallest shared headroom pool, the
largest ratio of a pool that holds the worst case of all its groups, the shortest frame that may fill the headroom, and
the best placement over the pipes.

Each answer was planned, and so was the step beyond it, which is refused. It varies one thing; all else is as the
topology says, which may fit or not. BINDING is the limit that refuses the next step, NEXT the one that would come after
it. The answers hold for the placement that the plan assumes for ports without a pipe.

`

func capacityCommand() *cobra.Command {
	var format output
	var only []string
	var many manyTopologies
	c := &cobra.Command{
		Use:   "capacity FILE...",
		Short: "How far a switch goes: longest cables, most ports, largest frames, smallest pools",
		Long:  capacityLong + exitCodes,
		Example: "  cellwarden capacity examples/leaf-roce-qos.yaml\n" +
			"  cellwarden capacity leaf.yaml --only cable,ports --set chip=tomahawk5",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			questions, err := parseQuestions(only)
			if err := errors.Join(err, checkFormat(format), many.check(args)); err != nil {
				return err
			}
			if many.wanted(args) {
				return runCapacities(cmd, &many, args, questions)
			}
			file, changes, err := readTopology(cmd, args[0])
			if err != nil {
				return err
			}
			answers, err := capacity.Ask(file.Intent, capacityEntries(file), questions...)
			if err != nil {
				return exitWith(exitUsage, fmt.Errorf("%s: %w", args[0], err))
			}
			admission, err := buffer.NewAdmission(file.Intent)
			if err != nil {
				return exitWith(exitUsage, err)
			}
			doc := publish.Capacity(file.Intent, admission, answers)
			doc.Set = changes
			if err := capacityReport(&doc, admission).write(cmd.OutOrStdout(), format, doc); err != nil {
				return failure(err)
			}
			if !doc.Fits {
				return silent(exitNoFit)
			}
			return nil
		},
	}
	setFlag(c)
	confineFlag(c)
	many.register(c)
	outputFlag(c, &format)
	c.Flags().StringSliceVar(&only, "only", nil, "questions to answer: "+questionNames()+" (default: all)")
	return c
}

// runCapacities answers for many topologies, in JSON Lines.
func runCapacities(cmd *cobra.Command, many *manyTopologies, args []string, questions []capacity.Question) error {
	if err := onlyLines(cmd, "output", "table", "tables", "full"); err != nil {
		return err
	}
	return many.run(cmd, args, func(file *topology.File) (publish.Answer, error) {
		a, err := buffer.NewAdmission(file.Intent)
		if err != nil {
			return publish.Answer{}, err
		}
		answers, err := capacity.Ask(file.Intent, capacityEntries(file), questions...)
		if err != nil {
			return publish.Answer{}, err
		}
		out := publish.AnswerOf(a)
		out.Answers = new(publish.Capacity(file.Intent, a, answers))
		return out, nil
	})
}

func questionNames() string { return strings.Join(questionList(), ", ") }

func questionList() (names []string) {
	for _, q := range capacity.Questions() {
		names = append(names, string(q))
	}
	return names
}

func parseQuestions(names []string) (out []capacity.Question, err error) {
	for _, name := range names {
		q, bad := capacity.ParseQuestion(name)
		if bad != nil {
			return nil, fmt.Errorf("--only: %w", bad)
		}
		out = append(out, q)
	}
	return out, nil
}

// capacityReport is the answers as a table.
func capacityReport(d *publish.CapacityDocument, a *buffer.Admission) *report {
	verdict := "FITS as it is"
	if d.Verdict == publish.FitsAsPlaced {
		verdict = "FITS as it is IF the ports take the pipes in turn, which is assumed"
	}
	if denied, refused := a.FirstDenied(); refused {
		verdict = fmt.Sprintf("DOES NOT FIT as it is: %s, first %s: %v",
			plural(len(a.Denied()), "port is refused", "ports are refused"), denied.Port, denied.Shortfall)
	}
	s := section{name: "answers", title: "How far it goes, all else as it is",
		columns: []string{"question", "ports", "answer", "binding", "then", "next"}}
	for _, x := range d.Answers {
		if x.State == string(capacity.NotAsked) {
			s.row(x.Question, x.Ports, x.Value, "not asked: "+x.Why, "", "")
			continue
		}
		value := x.Value
		if x.Question == string(capacity.Placement) {
			value = fmt.Sprintf("%s, %s", x.Value, plural(int(*x.ValueN), "port fits", "ports fit"))
		}
		s.row(x.Question, x.Ports, value, x.Binding, x.NextValue, x.NextLimit)
	}
	r := &report{head: []string{verdict + changedText(d.Set)}, sections: []section{s}}
	if len(a.Ways()) > 0 {
		r.foot = []string{"the answers hold for the pipes that the plan assumes: the ports take them in turn"}
	}
	return r
}
