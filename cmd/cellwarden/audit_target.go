package main

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// target audits the CONFIG_DB of a SONiC switch. It is only read: no Set is sent.
func (a *auditor) target() error {
	as, err := registry.LoadProfile("sonic")
	if err != nil {
		return exit{exitFailure, err}
	}
	a.dial.log = logger(a.cmd)
	ctx := a.cmd.Context()
	client, err := a.dial.open(ctx, cells.Size(1), as)
	if err != nil {
		return err
	}
	defer client.Close()
	data, err := native.ConfigDB(ctx, client, audit.Tables())
	if err != nil {
		return &deviceError{fmt.Errorf("%s: %w", a.dial.target, err)}
	}
	db, err := configdb.Read(a.dial.target, data, audit.Tables()...)
	if err != nil {
		return &deviceError{err}
	}
	if db.Table("BUFFER_POOL") == nil && db.Table("PORT_QOS_MAP") == nil {
		return &deviceError{errors.New(a.dial.target + ": the switch has no buffer and no QoS configuration")}
	}
	db.WithoutLines()
	return a.configuration(a.dial.target, db)
}
