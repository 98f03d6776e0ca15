package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// folders audits hwsku folders. Results come in the order of the folders.
func (a *auditor) folders(ctx context.Context, tree *devicetree.Tree, folders []devicetree.Folder,
	o devicetree.Options) error {
	for r, err := range devicetree.Audit(ctx, tree, folders, o) {
		if err != nil {
			return cli.ExitWith(cli.ExitFailure, err)
		}
		// A folder counts once, however many configurations it has.
		a.out.Folders++
		a.out.Configurations += len(r.Configurations)
		a.out.NotListed += r.Rest
		a.add(r.Findings...)
		for i := range r.Configurations {
			c := &r.Configurations[i]
			if a.each != nil {
				a.each(c.Result, &r.Folder, c)
			}
			a.means(c.Result, c.Variant.Neighbours)
		}
	}
	return nil
}

// target audits the CONFIG_DB of a SONiC switch. It is only read: no Set is sent. The switch has to answer for
// CONFIG_DB, as SONiC does; its OpenConfig is not read.
func (a *auditor) target() error {
	// The profile is part of the program: an error here is no wrong usage.
	as, err := registry.LoadProfile("sonic")
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	a.dial.Connection.Log = cli.Logger(a.cmd)
	ctx := a.cmd.Context()
	// No register is read, so the size of a cell does not matter.
	client, err := a.dial.Open(ctx, cells.Size(1), as)
	if err != nil {
		return err
	}
	defer client.Close()
	// Only the tables that an audit reads are asked for. Errors of the request and of its answer are of the switch: exit
	// code 1, and no report.
	data, err := native.ConfigDB(ctx, client, sonic.AuditTables())
	if err != nil {
		return cli.Failure(fmt.Errorf("%s: %w", a.dial.Address, err))
	}
	db, err := configdb.Read(a.dial.Address, data, sonic.AuditTables()...)
	if err != nil {
		return cli.Failure(err)
	}
	// A switch without these two tables would be audited without a finding, and look healthy.
	if db.Table("BUFFER_POOL") == nil && db.Table("PORT_QOS_MAP") == nil {
		return cli.Failure(errors.New(a.dial.Address + ": the switch has no buffer and no QoS configuration"))
	}
	// The lines are those of the answer to a Get, which no reader has.
	db.WithoutLines()
	return a.audited(a.read(sonic.ReadDatabase(a.dial.Address, db, a.chip)))
}
