package plan

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// init writes a topology to begin with.

const initLong = `init prints a commented topology for a chip of the catalogue, or writes it to FILE. Its ports are
as many of the chip's fastest as the chip carries, or those of --port-count and --speed. Change it to what the switch
has; the lines behind # show what else can be said.

With --netbox or --lldp the ports and cables are those of the switch: of NetBox's lists of cables (side_a_device,
side_a_name, side_b_device, side_b_name, length, length_unit) and of interfaces (device, name, type, speed), or of
what the switch hears by LLDP. Each has a comment with the other end, the file and the line. Ports that no list of
cables has, and those for management, are left out. The speed and the cable that no list says are those of --speed and
--cable, and are not made up. Such a topology need not fit: plan says it.

`

// initCommand makes the verb. 0 and empty flags are the chip's own values; the errors of Starter name the flags.
func initCommand() *cobra.Command {
	var chip, speed string
	var ports, cores int
	var pool int64
	var from inventoryFlags
	c := &cobra.Command{
		Use:   "init --chip NAME [FILE]",
		Short: "Write a commented topology to begin with",
		Long:  initLong + cli.ExitCodes,
		Example: "  cellwarden init --chip tomahawk5 leaf.yaml\n" +
			"  cellwarden init --chip tomahawk4 --netbox cables.csv --netbox interfaces.csv --device leaf1 leaf1.yaml",
		Args: cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
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
		},
	}
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
	// Both fail only for a flag that the command does not have.
	_ = c.MarkFlagRequired("chip")
	_ = c.RegisterFlagCompletionFunc("chip", cli.CompleteChips)
	return c
}
