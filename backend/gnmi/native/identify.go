package native

import (
	"context"
	"maps"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/internal/asked"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Identify asks a switch for its kind, by OpenConfig's models, or by its own if it has no others. SONiC names its
// product and its ports in CONFIG_DB, other systems where nos.Identity says. Each is asked once: a switch that does not
// answer has not said it.
func Identify(ctx context.Context, client *gnmi.Client, probe *gnmi.ProbeResult) *gnmi.Identity {
	out := client.Identify(ctx, probe)
	if out.Chip != "" || probe.Profile == nil {
		return out
	}
	switch s := registry.System(probe.Profile.Dialect); {
	case s == nil:
	case s.Name == sonic.System.Name:
		identifySONiC(ctx, client, out)
	case s.Identity != nil:
		identifyNative(ctx, client, s.Identity, out)
	}
	return out
}

// identifySONiC reads the platform and the HwSKU, and the keys of the table of ports.
func identifySONiC(ctx context.Context, client *gnmi.Client, out *gnmi.Identity) {
	ask := func(table string) any {
		prefix, path := source(client, reading{origin: sonic.Origin, path: sonic.Path(table)})
		b, err := absorb(path, true, asked.Get(ctx, client, prefix, gpb.GetRequest_ALL, elems(path)))
		if err != nil {
			return nil
		}
		return b.tree
	}
	db := sonic.Database{}
	for _, name := range []string{"DEVICE_METADATA", "PORT"} {
		if table, err := sonic.ReadTable([]byte(jsonText(ask(name)))); err == nil {
			db[name] = table
		}
	}
	out.Read([]string{sonic.ProductText(db["DEVICE_METADATA"]["localhost"])})
	out.OtherChip = func(chip string) string { return sonic.OtherChip(chip, db) }
	out.Ports = slices.Sorted(maps.Keys(db["PORT"]))
}

// identifyNative reads the product and the names of the ports where the native model of a system has them, as far as
// OpenConfig's did not give them.
func identifyNative(ctx context.Context, client *gnmi.Client, where *nos.Identity, out *gnmi.Identity) {
	ask := func(path []nos.Elem) *gpb.GetResponse {
		return asked.Get(ctx, client, &gpb.Path{}, gpb.GetRequest_ALL, elems(path))
	}
	if len(out.Products) == 0 && len(out.Numbers) == 0 {
		out.Read(jsontree.Texts(ask(where.Product)))
	}
	if len(out.Ports) == 0 {
		out.Ports = jsontree.Entries(ask(where.Ports), where.List)
	}
}
