package link

import (
	"errors"
	"io/fs"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/findings"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// This file compares the findings with those of a revision of git and with a baseline, and prints those that are new.

// input reads a file that the command line names. Standard input has no revision, and check has refused it with
// --since.
func (c *linkRun) input(name string) (string, []byte, error) {
	if c.rev == "" {
		return cli.ReadInput(c.cmd, name)
	}
	data, err := c.opener(nil)(name)
	return name, data, err
}

// opener returns a function that reads files of the revision, or the one for files as they are. nil for asTheyAre is
// allowed in a run of a revision alone.
func (c *linkRun) opener(asTheyAre topology.Open) topology.Open {
	if c.rev == "" {
		return asTheyAre
	}
	return findings.At(c.cmd, c.rev)
}

// compared keeps the findings that are new since a revision of git. Files that the revision does not have bring no
// findings into it.
func (c *linkRun) compared(f *linkFlags, args []string) error {
	// It reads the same names as the command line has, each of them as it was in the revision.
	was := newRun(c.cmd, f.since)
	if err := was.collect(f, args); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh, note := findings.NewSince(f.since, was.findings(), c.findings())
	c.keep(fresh)
	c.Notes = append(c.Notes, note)
	return nil
}

// accept keeps the findings that the baseline does not accept. A baseline that is being written accepts all of them, so
// that none is listed.
func (c *linkRun) accept(list *findings.Flags) error {
	fresh, accepted, err := list.Accept(c.cmd, c.findings())
	if err != nil {
		return err
	}
	c.keep(fresh)
	c.Notes = append(c.Notes, accepted.Lines()...)
	return nil
}

// findings lists the findings of all links.
func (c *linkRun) findings() (out []finding.Finding) {
	for i := range c.Results {
		out = append(out, c.Results[i].Findings...)
	}
	return out
}

// keep keeps these findings and no others. Keep makes the state of each link anew from what is left.
func (c *linkRun) keep(fresh []finding.Finding) {
	left := map[string]bool{}
	for i := range fresh {
		left[fresh[i].Key()] = true
	}
	// It adds up, because --since and a baseline can both take some away.
	c.hidden += len(c.findings()) - len(fresh)
	for i := range c.Results {
		var some []finding.Finding
		for _, f := range c.Results[i].Findings {
			// Two findings with one key are kept or taken out together.
			if left[f.Key()] {
				some = append(some, f)
			}
		}
		c.Results[i].Keep(some)
	}
}

// print prints the document. A format for programs has the findings that are left.
func (c *linkRun) print(list *findings.Flags, doc *report.LinkDocument) error {
	return list.Print(c.cmd, cli.Plural(len(doc.Links), "link", "links"), c.findings(), func() error {
		return firstLink(c.screen(doc, list.Output.Format == "csv")).Write(c.cmd.OutOrStdout(), list.Output, *doc)
	})
}
