// Package member says which switches of a fabric a command is asked about, so that every verb of one switch reads them:
// FABRIC:SWITCH is then the name of its topology. Only diff has two.
package member

import (
	"cmp"
	"context"

	"github.com/cellwarden/cellwarden/topology"
)

// Switch is a switch of a fabric. The zero Switch is none.
type Switch struct {
	Name     string // on the command line, FABRIC:SWITCH
	Topology string // the file that is read in its place
	Changes  []topology.Change
}

type key struct{}

// With adds a switch to a context, before those that it has.
func With(ctx context.Context, s Switch) context.Context {
	return context.WithValue(ctx, key{}, append([]Switch{s}, All(ctx)...))
}

// All are the switches of a context.
func All(ctx context.Context) []Switch {
	all, _ := ctx.Value(key{}).([]Switch)
	return all
}

// Of returns the switch that a name of the command line stands for. The zero Switch: it is the name of a file.
func Of(ctx context.Context, name string) Switch {
	for _, s := range All(ctx) {
		if s.Name == name {
			return s
		}
	}
	return Switch{}
}

// File returns the file to read for a name of the command line.
func File(ctx context.Context, name string) string { return cmp.Or(Of(ctx, name).Topology, name) }
