package prove

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/testbed"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// probeFlags are the flags of the probe command: the rule by which the chip
// compares counters with limits. An empty text leaves the rule of the chip. lines is --requests.
type probeFlags struct {
	limit, xoff, xon string
	lines            bool
	format           cli.Output
}

// The words of the rule are those of a chip file (limit_rule, xoff_rule, xon_rule). The second of each pair is the
// field's true.
var (
	limitWords = []string{"before", "after"}
	xoffWords  = []string{"refused", "full"}
	xonWords   = []string{"current", "latched"}
)

// ProbeCommand returns the probe command. The defaults of the rule are the chip's, or those of Broadcom's XGS chips
// where nothing is known of it.
func ProbeCommand() *cobra.Command {
	var f probeFlags
	c := cli.Command("probe", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) })
	cli.WordFlag(c, &f.limit, "limit", "", limitWords, "compute a dynamic limit before or after the packet is counted (default: "+
		"the chip's rule)")
	cli.WordFlag(c, &f.xoff, "xoff", "", xoffWords,
		"send XOFF with the packet that fills the shared part (full), or with the first that it refuses (refused)")
	cli.WordFlag(c, &f.xon, "xon", "", xonWords,
		"measure XON from the limit at XOFF (latched) or from the present limit (current)")
	c.Flags().BoolVar(&f.lines, "requests", false, "answer a tester's requests, in lines of JSON")
	cli.OutputFlag(c, &f.format)
	cli.ConfineFlag(c)
	return c
}

// run fills the model once and prints when each group pauses, drops and resumes. A plan that does not fit ends with 3
// and not with 2: the file is right.
func (f *probeFlags) run(cmd *cobra.Command, file string) error {
	switch {
	// Standard input can be read once.
	case f.lines && file == "-":
		return errors.New("--requests: standard input has the requests (want a file of the switch)")
	// Requests have answers in a form of their own, which are lines of JSON.
	case f.lines && cmd.Flags().Changed("output"):
		return errors.New("--requests and -o (want one of them)")
	}
	p, err := inputs.ReadProbe(cmd, file)
	if err != nil {
		return err
	}
	f.choose(&p)
	// The program that sends the requests then fills the switch of the file.
	if f.lines {
		return serveLines(cmd, &p)
	}
	a, err := p.Run()
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	d := probeDocument(&p, a)
	return probeScreen(&d, egressLimited(&p)).Print(cmd, f.format, d, cli.ExitFine)
}

// serveLines answers a tester's requests until standard input ends. A reader that waits for a line is left behind when
// the command is interrupted. Standard input cannot be given up while a read waits, so the command ends without that
// goroutine.
func serveLines(cmd *cobra.Command, p *topology.Probe) error {
	s, err := testbed.New(&p.Probe)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// An interrupted session ends with 1: the tester has not said that it is done.
	return cli.Failure(cli.Interruptible(cmd.Context(), func() error {
		return testbed.Serve(cmd.Context(), s, cmd.InOrStdin(), cmd.OutOrStdout())
	}))
}

// choose sets the probe's rule where a flag does. Each flag has two values, of
// which the second sets the rule's field. The source of the rule says which of its parts were given and which are the
// chip's or assumed.
func (f *probeFlags) choose(p *topology.Probe) {
	var given []string
	for _, x := range []struct {
		flag, value string
		words       []string
		set         *bool
	}{
		{"limit", f.limit, limitWords, &p.Rule.LimitAfter},
		{"xoff", f.xoff, xoffWords, &p.Rule.PauseAtLimit},
		{"xon", f.xon, xonWords, &p.Latched},
	} {
		if x.value != "" {
			*x.set = x.value == x.words[1]
			given = append(given, "--"+x.flag)
		}
	}
	switch {
	case len(given) == 3:
		p.RuleSource = "given"
	// What no flag sets keeps the source that the chip has for its rule.
	case len(given) > 0:
		p.RuleSource = fmt.Sprintf("%s given; the rest %s", strings.Join(given, ", "), p.RuleSource)
	}
}

// probeDocument converts the answer. Packets are counted from 1 for each group, and an XOFF at 0 is one that was not
// sent.
func probeDocument(p *topology.Probe, a mmu.ProbeAnswer) report.ProbeDocument {
	d := report.ProbeDocument{Schema: report.Schema("probe"), HeadroomPool: a.HeadroomPool, Shared: a.Shared,
		EgressShared: a.EgressShared, Group: p.Group, LeakOut: p.LeakOut}
	// The words are those of a chip file, so that a rule which was found can be copied into one.
	d.Rule.Limit, d.Rule.XOFF, d.Rule.XON = (&behaviour.Family{Rule: p.Rule, Latched: p.Latched}).Words()
	d.Rule.Source = p.RuleSource
	// A file that states its own cells has no chip.
	if p.Chip != nil {
		d.Chip = p.Chip.Name
	}
	groups := unnamed.List(&d.Groups, len(a.Groups))
	for i, g := range a.Groups {
		to := &groups[i]
		to.Index, to.XOFF, to.Drop, to.XONBelow, to.Headroom = i, g.XOFF, g.Drop, g.XONBelow, g.Headroom
		// An egress without limits refuses nothing, and the only cause left is the ingress.
		if egressLimited(p) {
			to.Cause = g.Cause.String()
		}
	}
	return d
}

// egressLimited tells whether the egress has limits, so that the cause of a drop is of interest.
func egressLimited(p *topology.Probe) bool { return p.Egress.Pool > 0 }

// probeScreen returns the table. Cells are those of the slice that all groups are in.
func probeScreen(d *report.ProbeDocument, egress bool) *cli.Screen {
	// A row is a group in the order of filling, numbered from 0.
	s := cli.Table("", "Groups", "group", "XOFF at packet", "first drop", "XON below", "packets in headroom")
	head := fmt.Sprintf("%s cells shared in the slice, %s in its shared headroom pool", cli.Count(d.Shared),
		cli.Count(d.HeadroomPool))
	if egress {
		s.Columns = append(s.Columns, "dropped by")
		head += fmt.Sprintf(", %s at the egress", cli.Count(d.EgressShared))
	}
	head += "; packets are counted per group from 1"
	for _, g := range d.Groups {
		// XON is measured while the group drains: it resumes when this number of its packets has left after XOFF.
		// XOFF is 0 where the egress dropped a packet before the group had paused.
		row := []any{cli.Count(g.Index), cli.Count(g.XOFF), cli.Count(g.Drop), cli.Count(g.XONBelow), cli.Count(g.Headroom)}
		if egress {
			row = append(row, g.Cause)
		}
		s.Row(row...)
	}
	lines := []string{head}
	// A file with its own cells has no chip, and one without a topology fills no named group.
	if name := strings.TrimPrefix(d.Chip+", "+d.Group, ", "); name != "" {
		lines = append(lines, "filled: "+strings.TrimSuffix(name, ", "))
	}
	// The rule stands in the first lines because one packet more or less depends on it, and its source says how far
	// to trust it.
	lines = append(lines, fmt.Sprintf(
		"the limit is read %s the packet, XOFF at the shared part %s, XON by the limit %s: %s",
		d.Rule.Limit, d.Rule.XOFF, d.Rule.XON, d.Rule.Source))
	if d.LeakOut > 0 {
		lines = append(lines, fmt.Sprintf("the first %s packets leave although the port has been stopped, and are counted",
			cli.Count(d.LeakOut)))
	}
	return &cli.Screen{Head: lines, Sections: []cli.Section{s}}
}
