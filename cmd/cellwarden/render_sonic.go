package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/dialect/sonic"
)

// This file has the flags that describe a SONiC switch. Its generic updater accepts
// changes by chip and release.

// sonicFlags describe a SONiC switch.
type sonicFlags struct{ asic, release string }

func (f *sonicFlags) register(c *cobra.Command, release string) {
	c.Flags().StringVar(&f.asic, "sonic-asic", "", "SONiC's short name of the chip, which decides the changes that its "+
		"updater accepts: "+strings.Join(sonic.ASICs(), ", ")+" (default: that of the topology's chip)")
	c.Flags().StringVar(&f.release, "sonic-release", "",
		"release of SONiC, such as 202405, 20240510 or master (default: "+release+")")
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
	return sonic.Options{ASIC: f.asic, Release: f.release}, nil
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
