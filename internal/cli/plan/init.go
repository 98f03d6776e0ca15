package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/inventory"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// init writes a topology to begin with.

// InitCommand makes the verb. 0 and empty flags are the chip's own values; the errors of Starter name the flags.
func InitCommand() *cobra.Command {
	var chip, speed string
	var ports, cores int
	var pool int64
	var from inventoryFlags
	c := cli.Command("init", cli.Args(0, 1), func(cmd *cobra.Command, args []string) error {
		// Entries from lists take the place of the ports that Starter would choose; notes say what was left out.
		own, notes, err := from.entries(cmd, speed)
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		// Its errors are about flags, and so are wrong usage.
		text, err := topology.Starter(chip, speed, ports, unit.Bytes(pool), cores, own, notes)
		if err != nil {
			return err
		}
		// A topology on standard output can be piped into plan. A file that exists is kept unless --force is given: a
		// topology is written by hand.
		return cli.Failure(cli.Store(cmd, strings.Join(args, ""), []byte(text)))
	})
	// Zero values stand for the chip's own, which only the catalogue knows.
	cli.ForceFlag(c)
	c.Flags().StringVar(&chip, "chip", "", "chip of the catalogue (cellwarden asic list)")
	c.Flags().StringVar(&speed, "speed", "", "speed of the ports (default: the chip's fastest)")
	c.Flags().IntVar(&ports, "port-count", 0, "number of ports (default: as many as the chip carries)")
	c.Flags().Int64Var(&pool, "pool-bytes", 0,
		"pool of a chip with memory beside it, as chip.pool_bytes of a topology (default: the chip's, if it is sourced)")
	c.Flags().IntVar(&cores, "cores", 0,
		"cores that share the pool, as chip.cores (default: the chip's, if they are sourced)")
	from.register(c)
	_ = c.MarkFlagRequired("chip") // it fails only for a flag that the command does not have
	return c
}

// inventoryFlags are where init takes the ports and cables of a switch from. cable is a length as text, for ports of
// which no list has one; "" refuses these.
type inventoryFlags struct {
	netbox, lldp  []string
	device, cable string
}

// register adds the flags. --netbox needs --device, because its lists have the ports of all devices.
func (f *inventoryFlags) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.netbox, "netbox", nil, "take the ports and cables from this CSV of NetBox: a list of "+
		"cables, or of interfaces; may be repeated")
	c.Flags().StringVar(&f.device, "device", "", "name of the switch in the lists of --netbox")
	c.Flags().StringArrayVar(&f.lldp, "lldp", nil, "take the ports from this JSON of lldpcli -f json show neighbors "+
		"details; may be repeated")
	c.Flags().StringVar(&f.cable, "cable", "", "length of the cables whose length --netbox and --lldp do not say")
	// The lists say how many ports there are. NetBox's have more than one device; what LLDP hears, one switch hears, so
	// that it needs no name.
	for _, other := range []string{"netbox", "lldp"} {
		c.MarkFlagsMutuallyExclusive(other, "port-count")
	}
	c.MarkFlagsRequiredTogether("netbox", "device")
}

// entries are the ports as lines of a topology, each with what it comes from, and comments on what was left out; none
// without --netbox and --lldp. The lists are joined by the names of ports: one list may have the cables and another the
// speeds.
func (f *inventoryFlags) entries(cmd *cobra.Command, speed string) (own, notes []string, err error) {
	if len(f.netbox)+len(f.lldp) == 0 {
		// Without lists --speed is still the speed of the ports, and --cable would be for none.
		if f.cable != "" {
			return nil, nil, errors.New("--cable is for ports of --netbox and --lldp (want one of them)")
		}
		return nil, nil, nil
	}
	// NetBox's lists come before LLDP's, whatever order the flags have.
	var lists []*inventory.List
	for i, file := range slices.Concat(f.netbox, f.lldp) {
		name, data, err := cli.ReadInput(cmd, file)
		if err != nil {
			return nil, nil, err
		}
		var l *inventory.List
		if i < len(f.netbox) {
			l, err = inventory.NetBox(name, data, f.device)
		} else {
			l, err = inventory.Neighbours(name, data)
		}
		if err != nil {
			return nil, nil, err
		}
		lists = append(lists, l)
	}
	// Two lists that say different things of a port are an error.
	all, err := inventory.Join(lists...)
	if err != nil {
		return nil, nil, err
	}
	own, err = f.lines(all.Ports, speed)
	// What was left out becomes comments of the file, each with its reason.
	for _, left := range all.Left {
		notes = append(notes, fielderr.Escape("Left out: "+left+".", false))
	}
	return own, notes, err
}

// lines are the ports as entries. What no list says is that of --speed and --cable; a port without it is refused. All
// ports that lack something are complained of together, each with the file and line that it comes from. A rate of 0 is
// not known; a length of 0 m is a length.
func (f *inventoryFlags) lines(ports []inventory.Port, speed string) (out []string, err error) {
	// fielderr.List cuts a long list of complaints, and counts the rest.
	var bad fielderr.List
	// 0 stands for no --speed; a speed of 0 is refused by its parser or by the topology.
	given := unit.BitRate(0)
	if speed != "" {
		if given, err = unit.ParseBitRate(speed); err != nil {
			return nil, fmt.Errorf("--speed: %w", err)
		}
	}
	cable := unit.Optional[unit.Length]{}
	if f.cable != "" {
		length, err := unit.ParseLength(f.cable)
		if err != nil {
			return nil, fmt.Errorf("--cable: %w", err)
		}
		cable = unit.Given(length)
	}
	for _, p := range ports {
		// What a list says counts more than the flags.
		p.Rate = cmp.Or(p.Rate, given)
		if !p.Cable.IsGiven() {
			p.Cable = cable
		}
		length, known := p.Cable.Get()
		switch {
		case p.Rate == 0:
			bad.Addf("%s: port %s has no speed there (want --speed, or --netbox with its interfaces)", p.From,
				fielderr.Quote(p.Name))
			continue
		case !known:
			// Why is a reason that the list has, and otherwise the list says no length at all.
			why := cmp.Or(p.Why, "its cable has no length there")
			bad.Addf("%s: port %s: %s (want --cable)", p.From, fielderr.Quote(p.Name), fielderr.Escape(why, false))
			continue
		}
		// The comment says where a reader finds the port again: the other end, the file and the line.
		from := p.From
		if p.To != "" {
			from = "to " + p.To + ", " + from
		}
		// The comment is made printable, as it is text of another system: a line break would end it. The name is
		// quoted, because YAML reads some plain words as numbers or truth values.
		out = append(out, fmt.Sprintf("{name: %s, speed: %v, cable: %v} # %s", strconv.Quote(p.Name), p.Rate, length,
			strings.TrimSpace(fielderr.Escape(from, false))))
	}
	return out, bad.Err()
}
