package plan

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// init writes a topology to begin with.

const initLong = `init prints a commented topology for a chip of the catalogue, or writes it to FILE. Its ports are
as many of the chip's fastest as the chip carries, or those of --port-count and --speed. Change it to what the switch
has; the lines behind # show what else can be said.

`

func initCommand() *cobra.Command {
	var chip, speed string
	var ports, cores int
	var pool int64
	c := &cobra.Command{
		Use:     "init --chip NAME [FILE]",
		Short:   "Write a commented topology to begin with",
		Long:    initLong + cli.ExitCodes,
		Example: "  cellwarden init --chip tomahawk5 leaf.yaml",
		Args:    cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := topology.Starter(chip, speed, ports, unit.Bytes(pool), cores)
			if err != nil {
				return err
			}
			if len(args) == 0 || args[0] == "-" {
				_, err := io.WriteString(cmd.OutOrStdout(), text)
				return cli.Failure(err)
			}
			// A file that exists is kept unless --force is given: a topology is written by hand.
			f, err := cli.Create(cmd, args[0])
			if err != nil {
				return cli.Failure(err)
			}
			if _, err = io.WriteString(f, text); err != nil {
				return cli.Failure(err)
			}
			return cli.Failure(cli.Commit(cmd))
		},
	}
	cli.ForceFlag(c)
	c.Flags().StringVar(&chip, "chip", "", "chip of the catalogue (cellwarden asic list)")
	c.Flags().StringVar(&speed, "speed", "", "speed of the ports (default: the chip's fastest)")
	c.Flags().IntVar(&ports, "port-count", 0, "number of ports (default: as many as the chip carries)")
	c.Flags().Int64Var(&pool, "pool-bytes", 0,
		"pool of a chip with memory beside it, as chip.pool_bytes of a topology (default: the chip's, if it is sourced)")
	c.Flags().IntVar(&cores, "cores", 0,
		"cores that share the pool, as chip.cores (default: the chip's, if they are sourced)")
	_ = c.MarkFlagRequired("chip")
	_ = c.RegisterFlagCompletionFunc("chip", cli.CompleteChips)
	return c
}
