package push

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the flags that describe a SONiC switch. Its generic updater accepts
// changes by chip and release, and its buffer manager changes what it reads by model and
// table.

// nativeFlags are the flags of a verb that works on native configuration. on is --native, and has no meaning for SONiC,
// which is always native.
type nativeFlags struct {
	on      bool
	sonic   sonicFlags
	current sonic.Database // of a SONiC switch that is not asked; nil: not known
}

// register adds --native and the flags about SONiC to apply.
func (f *nativeFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.on, "native", false,
		"push the native configuration of the switch: SR Linux, EOS; SONiC always receives CONFIG_DB")
	f.sonic.register(c, "as reported by the switch")
	c.MarkFlagsMutuallyExclusive("sim", "native")
}

// sonicFlags describe a SONiC switch. Empty texts are not known, and the worst case is then assumed. asic is SONiC's
// short name of a chip, release a number or a branch, model a buffer_model, and table the path of a
// pg_profile_lookup.ini.
type sonicFlags struct {
	asic, release, model, table string
	most                        string       // a number of bytes; empty: not known
	rows                        *table.Table // of the file table, once it is read
}

// given tells whether there is one of the flags. A dialect other than SONiC's refuses them. It does not ask whether a
// flag was set: an empty text says nothing either.
func (f *sonicFlags) given() bool { return f.asic+f.release+f.model+f.table+f.most != "" }

// read reads the file of --sonic-table. The file is read before anything is sent.
func (f *sonicFlags) read(cmd *cobra.Command) error {
	if f.table == "" {
		return nil
	}
	data, err := cli.Named(cmd)(f.table)
	if err == nil {
		f.rows, err = table.Read(f.table, bytes.NewReader(data))
	}
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--sonic-table: %w", err))
	}
	return nil
}

// register adds the flags. release is what is taken without --sonic-release, for the help.
func (f *sonicFlags) register(c *cobra.Command, release string) {
	c.Flags().StringVar(&f.asic, "sonic-asic", "", "SONiC's short name of the chip, which decides the changes that its "+
		"updater accepts: "+strings.Join(sonic.ASICs(), ", ")+" (default: that of the topology's chip)")
	c.Flags().StringVar(&f.release, "sonic-release", "",
		"release of SONiC, such as 202405, 20240510 or master (default: "+release+")")
	c.Flags().StringVar(&f.model, "sonic-model", "", "SONiC's buffer_model, which decides what its buffer manager does: "+
		strings.Join(sonic.Models(), ", ")+" (default: that of the switch's DEVICE_METADATA)")
	c.Flags().StringVar(&f.table, "sonic-table", "",
		"pg_profile_lookup.ini of the SONiC switch, from which its traditional buffer manager takes headroom")
	c.Flags().StringVar(&f.most, "sonic-max-headroom", "", "largest headroom of a port of the SONiC switch, above "+
		"which its dynamic buffer manager drops groups: max_headroom_size of BUFFER_MAX_PARAM_TABLE in STATE_DB (default: "+
		"unknown)")
}

// options checks the flags. The zero options are those of a switch of which nothing is known. The errors are wrong
// usage. read has to be called before, for the rows of the table.
func (f *sonicFlags) options() (sonic.Options, error) {
	if f.asic != "" && !slices.Contains(sonic.ASICs(), f.asic) {
		return sonic.Options{}, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--sonic-asic %q (want %s)", f.asic,
			strings.Join(sonic.ASICs(), ", ")))
	}
	// Each flag has its check here, so that the error names the flag and not a field of the options.
	if f.release != "" {
		if _, err := sonic.ParseRelease(f.release); err != nil {
			return sonic.Options{}, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--sonic-release: %w", err))
		}
	}
	if f.model != "" && !slices.Contains(sonic.Models(), f.model) {
		return sonic.Options{}, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--sonic-model %q (want %s)", f.model,
			strings.Join(sonic.Models(), ", ")))
	}
	var most unit.Optional[unit.Bytes]
	// Absent and 0 differ: 0 would mean a port without any headroom.
	if f.most != "" {
		bytes, err := unit.ParseBytes(f.most)
		if err != nil {
			return sonic.Options{}, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--sonic-max-headroom: %w", err))
		}
		most = unit.Given(bytes)
	}
	return sonic.Options{ASIC: f.asic, Release: f.release, Model: sonic.Model(f.model), Table: f.rows,
		MaxHeadroom: most}, nil
}

// readCurrent reads a config_db.json; nil without a file. Only the tables that a plan writes are read. Its errors are
// wrong usage.
func readCurrent(cmd *cobra.Command, file string) (sonic.Database, error) {
	// nil: the present configuration is not known, so every value of the plan counts as a change.
	if file == "" {
		return nil, nil
	}
	data, err := cli.Named(cmd)(file)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--current: %w", err))
	}
	db, err := sonic.ReadConfigDB(data)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--current: %s: %w", file, err))
	}
	return db, nil
}
