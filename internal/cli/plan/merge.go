package plan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/files"
)

// merge puts the parts of --shard together.

const mergeLong = `merge puts together what the parts of a sweep, or of plan --lines, printed: the output is the same bytes as that of one
run. Each FILE is the output of one part, JSON Lines or CSV; the order of the files does not matter. A line that no file
has, or that two have, is refused.

`

func mergeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "merge FILE...",
		Short:   "Put the parts of --shard together",
		Long:    mergeLong + cli.ExitCodes,
		Example: "  cellwarden merge part-*.jsonl > all.jsonl",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var parts []*part
			for _, name := range args {
				data, err := files.ReadAtMost(cmd.Context(), name, mostPart)
				if err != nil {
					return cli.ExitWith(cli.ExitUsage, err)
				}
				p := &part{name: name, rest: data}
				if err := p.begin(); err != nil {
					return cli.ExitWith(cli.ExitUsage, err)
				}
				parts = append(parts, p)
			}
			return mergeParts(cmd.OutOrStdout(), parts)
		},
	}
}

// mostPart is the longest part, which is held in memory: that of some ten million answers.
const mostPart = 4 << 30

// part is the output of one shard.
type part struct {
	name   string
	header []byte // of CSV; nil: JSON Lines
	line   []byte // the next line, with its end; nil: there is none
	number int    // of the line
	rest   []byte
}

// begin reads the header, if there is one, and the first line.
func (p *part) begin() error {
	if len(p.rest) > 0 && p.rest[0] != '{' {
		p.header = p.cut()
	}
	return p.next()
}

// cut takes a line off the rest.
func (p *part) cut() []byte {
	end := bytes.IndexByte(p.rest, '\n') + 1
	if end == 0 {
		end = len(p.rest)
	}
	line := p.rest[:end]
	p.rest = p.rest[end:]
	return line
}

// next reads the next line and its number.
func (p *part) next() (err error) {
	if p.line = nil; len(p.rest) == 0 {
		return nil
	}
	before := p.number
	p.line = p.cut()
	if p.line[len(p.line)-1] != '\n' {
		return fmt.Errorf("%s: the last line has no end: the part is not complete", p.name)
	}
	if p.header == nil {
		var x struct{ Line *int }
		if err := json.Unmarshal(p.line, &x); err != nil || x.Line == nil {
			return fmt.Errorf("%s: a line without a number (accepted: the output of sweep or of plan --lines)", p.name)
		}
		p.number = *x.Line
	} else {
		field, _, _ := bytes.Cut(p.line, []byte{','})
		if p.number, err = strconv.Atoi(string(field)); err != nil {
			return fmt.Errorf("%s: a line without a number (accepted: the output of sweep -o csv)", p.name)
		}
	}
	if p.number <= before {
		return fmt.Errorf("%s: line %d after line %d (accepted: ascending numbers from 1)", p.name, p.number, before)
	}
	return nil
}

// mergeParts writes the lines of all parts in the order of their numbers. It writes nothing if a number is missing or
// there twice.
func mergeParts(out io.Writer, parts []*part) error {
	var all bytes.Buffer
	if header := parts[0].header; header != nil {
		all.Write(header)
	}
	for _, p := range parts {
		if !bytes.Equal(p.header, parts[0].header) && p.line != nil && parts[0].line != nil {
			return cli.ExitWith(
				cli.ExitUsage,
				fmt.Errorf("%s and %s: accepted: parts of one run, with the same columns", parts[0].name,
					p.name),
			)
		}
	}
	for n := 1; ; n++ {
		var has *part
		left := false
		for _, p := range parts {
			switch {
			case p.line == nil:
			case p.number == n && has != nil:
				return cli.ExitWith(cli.ExitUsage, fmt.Errorf("line %d is in %s and in %s", n, has.name, p.name))
			case p.number == n:
				has = p
			}
			left = left || p.line != nil
		}
		if !left {
			w := bufio.NewWriter(out)
			_, err := all.WriteTo(w)
			return cli.Failure(errors.Join(err, w.Flush()))
		}
		if has == nil {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("line %d is in no file: a part is missing", n))
		}
		all.Write(has.line)
		if err := has.next(); err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
	}
}
