package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/dialect/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// This file has the flags that describe a SONiC switch. Its generic updater accepts
// changes by chip and release, and its buffer manager changes what it reads by model and
// table.

// sonicFlags describe a SONiC switch.
type sonicFlags struct {
	asic, release, model, table string
	command                     *cobra.Command // whose files are read
}

// given tells whether there is one of the flags.
func (f *sonicFlags) given() bool { return f.asic+f.release+f.model+f.table != "" }

func (f *sonicFlags) register(c *cobra.Command, release string) {
	f.command = c
	c.Flags().StringVar(&f.asic, "sonic-asic", "", "SONiC's short name of the chip, which decides the changes that its "+
		"updater accepts: "+strings.Join(sonic.ASICs(), ", ")+" (default: that of the topology's chip)")
	c.Flags().StringVar(&f.release, "sonic-release", "",
		"release of SONiC, such as 202405, 20240510 or master (default: "+release+")")
	c.Flags().StringVar(&f.model, "sonic-model", "", "SONiC's buffer_model, which decides what its buffer manager does: "+
		strings.Join(sonic.Models(), ", ")+" (default: that of the switch's DEVICE_METADATA)")
	c.Flags().StringVar(&f.table, "sonic-table", "",
		"pg_profile_lookup.ini of the SONiC switch, from which its traditional buffer manager takes headroom")
}

// options checks the flags.
func (f *sonicFlags) options() (sonic.Options, error) {
	if f.asic != "" && !slices.Contains(sonic.ASICs(), f.asic) {
		return sonic.Options{}, exit{exitUsage, fmt.Errorf("--sonic-asic %q: accepted: %s", f.asic,
			strings.Join(sonic.ASICs(), ", "))}
	}
	if f.release != "" {
		if _, err := sonic.ParseRelease(f.release); err != nil {
			return sonic.Options{}, exit{exitUsage, fmt.Errorf("--sonic-release: %w", err)}
		}
	}
	if f.model != "" && !slices.Contains(sonic.Models(), f.model) {
		return sonic.Options{}, exit{exitUsage, fmt.Errorf("--sonic-model %q: accepted: %s", f.model,
			strings.Join(sonic.Models(), ", "))}
	}
	out := sonic.Options{ASIC: f.asic, Release: f.release, Model: sonic.Model(f.model)}
	if f.table == "" {
		return out, nil
	}
	data, err := named(f.command)(f.table)
	if err == nil {
		out.Table, err = table.Read(f.table, bytes.NewReader(data))
	}
	if err != nil {
		return sonic.Options{}, exit{exitUsage, fmt.Errorf("--sonic-table: %w", err)}
	}
	return out, nil
}

// readCurrent reads a config_db.json; nil without a file.
func readCurrent(cmd *cobra.Command, file string) (sonic.Database, error) {
	if file == "" {
		return nil, nil
	}
	data, err := named(cmd)(file)
	if err != nil {
		return nil, exit{exitUsage, fmt.Errorf("--current: %w", err)}
	}
	db, err := sonic.ReadConfigDB(data)
	if err != nil {
		return nil, exit{exitUsage, fmt.Errorf("--current: %s: %w", file, err)}
	}
	return db, nil
}
