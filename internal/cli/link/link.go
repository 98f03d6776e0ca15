// Package link has the verb that compares the two ends of a link.
//
// The ends come from the files that the command line names (link.go): two ports of topologies, all cables of a list, or
// what LLDP says of the far end or of both (package internal/observed). Package dcbx/linkcheck compares each pair and
// has the findings. --since and the baseline then take away what is not new (since.go), before the verdict is made.
// With --scenarios, what a finding leads to is simulated: the link with its own numbers where it is about headroom
// (planned.go), and the example that shows it (sim.go). report.go prints.
//
// An end that does not say something is unknown, and never the same as the other.
package link

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/findings"
	"github.com/cellwarden/cellwarden/internal/observed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// link compares the two ends of links. Package dcbx/linkcheck has the rules; this file finds the ends in topologies.

// linkFlags are the flags of the link command. lldp has one file or two. At most one of fabric, pcap and lldp is given.
// fabric, pcap and the files of lldp are paths, or - for standard input.
type linkFlags struct {
	list         findings.Flags
	fabric, pcap string
	since        string // a revision of git
	lldp         []string
	simulate     bool
}

// LinkCommand makes the verb. The registration of findings comes last, because it wraps the verb's run.
func LinkCommand() *cobra.Command {
	f := &linkFlags{}
	c := cli.Command("link", cli.Args(0, 2), f.run)
	c.Flags().StringVar(&f.fabric, "fabric", "", "compare the ends of all cables of this list (CSV: a,b)")
	c.Flags().
		StringVar(&f.pcap, "lldp-pcap", "", "take the ends, or the far end, from the LLDP of this capture (pcap, pcapng)")
	c.Flags().StringArrayVar(&f.lldp, "lldp", nil,
		"take the far ends from this JSON of lldpcli; twice: of the machines at both ends")
	c.Flags().BoolVar(&f.simulate, "scenarios", false, "run the scenarios that show the findings, and print their counts")
	findings.SinceFlag(c, &f.since)
	cli.ConfineFlag(c)
	f.list.Register(c, "link", linkcheck.Codes())
	cli.AllFlag(c, &f.list.Output)
	return c
}

// run compares the links and prints them. The exit code is that of the verdict: findings, or an end that says too
// little. The order matters: all links are compared, findings that are not new are taken out, and only then are
// scenarios run, which take seconds, for what is left.
func (f *linkFlags) run(cmd *cobra.Command, args []string) error {
	if err := errors.Join(f.check(cmd, args), f.list.Check()); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	c := newRun(cmd, "")
	if err := c.collect(f, args); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	if f.since != "" {
		if err := c.compared(f, args); err != nil {
			return cli.BadUsage("--since: %w", err)
		}
	}
	// What --since and the baseline take out is taken out before the verdict: only what is listed decides the exit
	// code.
	if err := c.accept(&f.list); err != nil {
		return err
	}
	// The document is made after the findings were taken out, and its verdict from what is left.
	doc := report.Links(c.Results, c.Notes...)
	if f.simulate {
		if err := c.simulate(&doc); err != nil {
			return cli.Failure(err)
		}
	}
	// Differences are 4, as findings are; too little known is 3, as where nothing can be proven.
	codes := map[linkcheck.Verdict]int{linkcheck.Differ: cli.ExitLint, linkcheck.Unknown: cli.ExitNoFit}
	return cli.Ended(c.print(&f.list, &doc), codes[doc.Verdict])
}

// collect compares the links that the command line names. check has made sure that one of these is meant.
func (c *linkRun) collect(f *linkFlags, args []string) error {
	switch {
	case f.fabric != "":
		return c.fabric(f.fabric)
	case f.pcap != "":
		return c.observed(f.pcap, args, c.Capture)
	case len(f.lldp) == 2:
		return c.machines(f.lldp)
	case len(f.lldp) == 1:
		return c.observed(f.lldp[0], args, c.Neighbours)
	}
	return c.two(args)
}

// check refuses arguments that do not go together. Each combination that is refused has a sentence that says which one
// is wanted, because they are many.
func (f *linkFlags) check(cmd *cobra.Command, args []string) error {
	// --lldp twice is one source: two machines that hear each other.
	sources := min(len(f.lldp), 1)
	for _, s := range []string{f.fabric, f.pcap} {
		if s != "" {
			sources++
		}
	}
	switch {
	case sources > 1:
		return errors.New("--fabric, --lldp-pcap and --lldp (want one of them)")
	case f.fabric != "" && len(args) > 0:
		return errors.New("--fabric with a port (want --fabric alone, which names the ports of all cables)")
	case f.pcap != "" && len(args) > 1:
		return errors.New("--lldp-pcap with two ports (want at most one, the other end is in the capture)")
	case len(f.lldp) > 2:
		return errors.New("--lldp more than twice (want it once with a topology, or twice: the machines at both ends)")
	case len(f.lldp) == 2 && len(args) > 0:
		return errors.New("--lldp twice with a topology (want the two machines alone, which say both ends)")
	// One machine says what it hears and not what it does itself, so its own end is that of a topology.
	case len(f.lldp) == 1 && len(args) != 1:
		return errors.New("--lldp (want it with one topology, <file> or <file>:<port>, or twice without one)")
	// Of a revision, topologies and lists of cables are read by their names.
	case f.since != "" && (f.pcap != "" || len(f.lldp) > 0 || f.fabric == "-"):
		return errors.New("--since (want it with two ports, or with --fabric and a file: they are in a work tree of git)")
	// A file of a revision is in no folder, so nothing could be confined to one.
	case f.since != "" && cmd.Flags().Lookup("confine").Value.String() == "true":
		return errors.New("--since and --confine (want one of them)")
	case sources == 0 && len(args) != 2:
		return errors.New("want two ports, <file>:<port> <file>:<port>, or --fabric, --lldp-pcap or --lldp")
	}
	return nil
}

// linkRun is one run of the command: the topologies that were read, and the results. hidden is the number of findings
// that were taken out. A run of a revision has results of its own, from which only the findings are used.
type linkRun struct {
	observed.Links
	cmd *cobra.Command
	// The topologies that were read, by the names that they were read by.
	files  map[string]*topology.File
	places map[string]place // of the ends that topologies say, by their names
	hidden int              // findings that are not listed, and notes say why
	rev    string           // the revision of git that the files are read of; empty: they are read as they are
}

// place is where a topology says an end. port is its index in the intent. in is that of the file, which all links of it
// share, and is never changed.
type place struct {
	file string
	in   *buffer.Intent
	port int
}

// newRun returns a run that reads files as they are, or of a revision. Package observed gets functions that read, so
// that it opens no file itself.
func newRun(cmd *cobra.Command, rev string) *linkRun {
	c := &linkRun{cmd: cmd, files: map[string]*topology.File{}, places: map[string]place{}, rev: rev}
	// These are for ends that LLDP names: they are read as the command line's files are, without --confine.
	c.File = func(name string) (*topology.File, error) { return c.file(name, cli.Named(cmd)) }
	c.Port = func(p linkcheck.FilePort) (linkcheck.End, error) { return c.end(p, cli.Named(cmd)) }
	return c
}

// observed compares what a file says of LLDP, with a topology or a port of it if the command line names one. compare
// gets the name of the file for messages, its text, and the near end: a topology, a port of one, or nothing.
func (c *linkRun) observed(
	file string, args []string, compare func(name string, data []byte, near string) error,
) error {
	name, data, err := cli.ReadInput(c.cmd, file)
	if err != nil {
		return err
	}
	// There is one argument at most: check has refused two.
	return compare(name, data, strings.Join(args, ""))
}

// machines compares the links between two machines, each of which says what it hears. No topology is needed, as each
// says its own interfaces and what it hears on them.
func (c *linkRun) machines(files []string) error {
	first, atA, err := cli.ReadInput(c.cmd, files[0])
	if err != nil {
		return err
	}
	second, atB, err := cli.ReadInput(c.cmd, files[1])
	if err != nil {
		return err
	}
	return c.Machines(first, atA, second, atB)
}

// two compares two ports of topologies. Both ports are read before they are compared with each other, so a typing error
// in one is named as such.
func (c *linkRun) two(args []string) error {
	var ends [2]linkcheck.End
	file := ""
	for i, text := range args {
		// The first colon ends the name of the file, because names of ports can have colons.
		p, err := linkcheck.ParseFilePort(text)
		if err == nil {
			ends[i], err = c.end(p, c.opener(cli.Named(c.cmd)))
		}
		if i == 0 {
			file = p.File
		}
		if err != nil {
			return err
		}
	}
	// Only the texts are compared: two spellings of one port pass.
	if args[0] == args[1] {
		return fmt.Errorf("%s twice (want two ports)", args[0])
	}
	c.Compare(&ends[0], &ends[1], file, 0)
	return nil
}

// fabric compares the ends of all cables of a list. The files are relative to the list. Results are in the order of the
// list. Line 0 stands for a link that no list names.
func (c *linkRun) fabric(name string) error {
	shown, data, err := c.input(name)
	if err != nil {
		return err
	}
	// All mistakes of the list are reported together, before any topology is read.
	cables, err := linkcheck.Cables(shown, data)
	if err != nil {
		return err
	}
	// The files of a list are confined to its folder with --confine, or if it is standard input.
	open := c.opener(cli.Beside(c.cmd, name, false))
	for _, k := range cables {
		ends, err := c.ends(name, &k, open)
		// In the files as they are, a cable that cannot be read ends the run: the others would look like all.
		if err != nil && c.rev == "" {
			return fmt.Errorf("%s:%d: %w", shown, k.Line, err)
		}
		if err == nil { // of a revision, what cannot be read has no findings
			c.Compare(&ends[0], &ends[1], shown, k.Line)
		}
	}
	return nil
}

// ends returns the ends of a cable of a list. A list on standard input has no folder, so its files are relative to the
// working directory.
func (c *linkRun) ends(list string, k *linkcheck.Cable, open topology.Open) (ends [2]linkcheck.End, err error) {
	for i, p := range []linkcheck.FilePort{k.A, k.B} {
		if list != "-" && !filepath.IsAbs(p.File) {
			p.File = filepath.Join(filepath.Dir(list), p.File)
		}
		if ends[i], err = c.end(p, open); err != nil {
			return ends, err
		}
		// The name is as in the list, and not with the folder of the list in front: a reader looks it up there.
		was := ends[i].Name
		ends[i].Name = []linkcheck.FilePort{k.A, k.B}[i].String()
		// headroomOf looks the place up by the name of the end.
		c.places[ends[i].Name] = c.places[was]
	}
	return ends, nil
}

// file reads a topology once. A file that cannot be read is tried again for the next cable, and gives the same error
// with that cable's line.
func (c *linkRun) file(name string, open topology.Open) (*topology.File, error) {
	// A leaf stands in the list once for each of its cables.
	if f := c.files[name]; f != nil {
		return f, nil
	}
	// The name is as the list or the command line has it: two spellings of one file are read twice.
	data, err := open(name)
	if err != nil {
		return nil, err
	}
	// open also reads the files that the topology names, such as that of a chip.
	f, err := topology.Read(name, data, open)
	if err == nil {
		c.files[name] = f
	}
	return f, err
}

// end returns what a topology says of a port. The place is kept, for the headroom that this end has planned.
func (c *linkRun) end(p linkcheck.FilePort, open topology.Open) (linkcheck.End, error) {
	f, err := c.file(p.File, open)
	if err != nil {
		return linkcheck.End{}, err
	}
	// A port that the topology does not have is an error with the names that it has.
	end, i, err := p.End(&f.Intent)
	if err != nil {
		return end, err
	}
	c.places[p.String()] = place{p.File, &f.Intent, i}
	return end, nil
}
