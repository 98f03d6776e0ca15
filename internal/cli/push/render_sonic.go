package push

import (
	"bytes"
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
}

// sonicFlags describe a SONiC switch. What is not given is not known, and the worst case is then assumed. asic is
// SONiC's short name of a chip, release a number or a branch, model a buffer_model, and table the path of a
// pg_profile_lookup.ini.
type sonicFlags struct {
	asic, release, model, table string
	most                        unit.Optional[unit.Bytes] // absent and 0 differ: 0 is a port without any headroom
	rows                        *table.Table              // of the file table, once it is read
}

// given tells whether there is one of the flags. A dialect other than SONiC's refuses them.
func (f *sonicFlags) given() bool { return f.asic+f.release+f.model+f.table != "" || f.most.IsGiven() }

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
		return cli.BadUsage("--sonic-table: %w", err)
	}
	return nil
}

// register adds the flags. release is what is taken without --sonic-release, for the help.
func (f *sonicFlags) register(c *cobra.Command, release string) {
	cli.WordFlag(c, &f.asic, "sonic-asic", "", sonic.ASICs(), "SONiC's short name of the chip, which decides the changes "+
		"that its updater accepts: "+strings.Join(sonic.ASICs(), ", ")+" (default: that of the topology's chip)")
	cli.TypedFlag(c.Flags(), &f.release, "sonic-release", "", func(text string) (string, error) {
		_, err := sonic.ParseRelease(text)
		return text, err
	}, "release of SONiC, such as 202405, 20240510 or master (default: "+release+")")
	cli.WordFlag(c, &f.model, "sonic-model", "", sonic.Models(), "SONiC's buffer_model, which decides what its buffer "+
		"manager does: "+strings.Join(sonic.Models(), ", ")+" (default: that of the switch's DEVICE_METADATA)")
	c.Flags().StringVar(&f.table, "sonic-table", "",
		"pg_profile_lookup.ini of the SONiC switch, from which its traditional buffer manager takes headroom")
	cli.TypedFlag(c.Flags(), &f.most, "sonic-max-headroom", "", cli.Known(unit.ParseBytes), "largest headroom of a port of "+
		"the SONiC switch, above which its dynamic buffer manager drops groups: max_headroom_size of BUFFER_MAX_PARAM_TABLE "+
		"in STATE_DB (default: unknown)")
}

// options are those of a switch of which no more is known than the flags say. read has to be called before, for the
// rows of the table.
func (f *sonicFlags) options() sonic.Options {
	return sonic.Options{ASIC: f.asic, Release: f.release, Model: sonic.Model(f.model), Table: f.rows, MaxHeadroom: f.most}
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
		return nil, cli.BadUsage("--current: %w", err)
	}
	db, err := sonic.ReadConfigDB(data)
	if err != nil {
		return nil, cli.BadUsage("--current: %s: %w", file, err)
	}
	return db, nil
}
