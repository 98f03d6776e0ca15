package plan

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/files"
)

// This file adds --shard, --merge and --jobs to the verbs that answer for many topologies: a part of the work, the
// parts put together, and how much is done at a time. Package capacity/sweep merges.

// shards are the flags. The zero value is a run of the whole work. jobs is 0 for one on each processor, up to 4,096.
type shards struct {
	sweep.Shard
	merge bool
	jobs  int
}

// register adds the flags to a command.
func (s *shards) register(c *cobra.Command) {
	c.Flags().Var(&s.Shard, "shard",
		"answer for a part, I/N: every N-th piece from the I-th on, I from 0 to N-1; --merge puts parts together")
	c.Flags().BoolVar(&s.merge, "merge", false, "join the outputs of the parts of --shard: the arguments are their "+
		"files, all of them, in any order")
	c.Flags().IntVar(&s.jobs, "jobs", 0, "pieces of work at a time (default: one for each processor)")
}

// workers is how many pieces are worked on at a time: --jobs, or one for each processor.
func (s *shards) workers() int { return cmp.Or(s.jobs, runtime.GOMAXPROCS(0)) }

// trailer is the last line of a part: its answers, and the question of all parts. input is what the answers depend on
// beside the flags. The question has the flags that were given with their values, and the text of the topology or of
// the lines, as a fingerprint: parts of two questions cannot be joined by mistake. Flags that change no answer are left
// out. csv says that the part is CSV, where the trailer is a comment.
func (s *shards) trailer(cmd *cobra.Command, csv bool, answers int, input []byte) string {
	if s.Whole() {
		return ""
	}
	// Visit goes through the flags in the order of their names, so that their order on the command line does not
	// matter.
	question := []byte(cmd.Name() + "\n")
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "shard", "jobs", "force":
		case "lines": // the name of a file whose lines are in the input
		default:
			if cmd.InheritedFlags().Lookup(f.Name) != nil { // of all verbs, such as --log-level
				return
			}
			question = fmt.Appendf(question, "--%s=%q\n", f.Name, f.Value.String())
		}
	})
	return s.Trailer(csv, answers, append(question, input...))
}

// besideMerge returns a flag that is set beside --merge and would have no effect; or an empty name. Of several it is
// the first by name.
func besideMerge(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		// Flags of all verbs, such as --log-level, have their effect here too.
		if f.Name != "merge" && name == "" && cmd.InheritedFlags().Lookup(f.Name) == nil {
			name = f.Name
		}
	})
	return name
}

// mostPart is the longest part, which is held in memory: that of some ten million answers.
const mostPart = 4 << 30

// mergeParts prints the lines of all files in the order of their numbers. It prints nothing if a part is missing, there
// twice, cut or of another question. The output is the same bytes as that of one run of the whole work.
func mergeParts(cmd *cobra.Command, names []string) error {
	if len(names) == 0 {
		return errors.New("--merge (want it with the files of the parts)")
	}
	if other := besideMerge(cmd); other != "" {
		return fmt.Errorf("--merge and --%s (want --merge alone: the parts have their answers already)", other)
	}
	// All parts are in memory before a line is printed, so that a missing line leaves no output that looks whole. They
	// are read without the bound of other inputs, which is below that of a part.
	texts := make([][]byte, len(names))
	for i, name := range names {
		var err error
		if texts[i], err = files.ReadAtMost(cmd.Context(), name, mostPart); err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
	}
	all, err := sweep.Merge(names, texts)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	_, err = cmd.OutOrStdout().Write(all)
	return cli.Failure(err)
}
