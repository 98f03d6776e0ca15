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

// sonicFlags describe a SONiC switch. What is not given is not known, and the worst case is then assumed. The verb adds
// the current configuration where it knows it without asking the switch.
type sonicFlags struct {
	sonic.Options
	table string // path of a pg_profile_lookup.ini, the Table once it is read
}

// given tells whether there is one of the flags. A dialect other than SONiC's refuses them. A largest headroom of 0 is
// given, too: that of a port without any.
func (f *sonicFlags) given() bool {
	return f.ASIC+f.Release+string(f.Model)+f.table != "" || f.MaxHeadroom.IsGiven()
}

// read reads the file of --sonic-table. The file is read before anything is sent.
func (f *sonicFlags) read(cmd *cobra.Command) error {
	if f.table == "" {
		return nil
	}
	data, err := cli.Named(cmd)(f.table)
	if err == nil {
		f.Table, err = table.Read(f.table, bytes.NewReader(data))
	}
	if err != nil {
		return cli.BadUsage("--sonic-table: %w", err)
	}
	return nil
}

// register adds the flags. release is what is taken without --sonic-release, for the help.
func (f *sonicFlags) register(c *cobra.Command, release string) {
	cli.WordFlag(c, &f.ASIC, "sonic-asic", "", sonic.ASICs(), "SONiC's short name of the chip, which decides the changes "+
		"that its updater accepts: "+strings.Join(sonic.ASICs(), ", ")+" (default: that of the topology's chip)")
	cli.TypedFlag(c.Flags(), &f.Release, "sonic-release", "", func(text string) (string, error) {
		_, err := sonic.ParseRelease(text)
		return text, err
	}, "release of SONiC, such as 202405, 20240510 or master (default: "+release+")")
	cli.WordFlag(c, (*string)(&f.Model), "sonic-model", "", sonic.Models(), "SONiC's buffer_model, which decides what "+
		"its buffer manager does: "+strings.Join(sonic.Models(), ", ")+" (default: that of the switch's DEVICE_METADATA)")
	c.Flags().StringVar(&f.table, "sonic-table", "",
		"pg_profile_lookup.ini of the SONiC switch, from which its traditional buffer manager takes headroom")
	cli.TypedFlag(c.Flags(), &f.MaxHeadroom, "sonic-max-headroom", "", cli.Known(unit.ParseBytes), "largest headroom of "+
		"a port of the SONiC switch, above which its dynamic buffer manager drops groups: max_headroom_size of "+
		"BUFFER_MAX_PARAM_TABLE in STATE_DB (default: unknown)")
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
