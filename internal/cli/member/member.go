// Package member says which switch of a fabric a command is asked about, so that every verb of one switch reads it:
// FABRIC:SWITCH is then the name of its topology.
package member

import (
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

// With adds a switch to a context.
func With(ctx context.Context, s Switch) context.Context { return context.WithValue(ctx, key{}, s) }

// Of returns the switch of a context.
func Of(ctx context.Context) Switch {
	s, _ := ctx.Value(key{}).(Switch)
	return s
}

// File returns the file to read for a name of the command line.
func File(ctx context.Context, name string) string {
	if s := Of(ctx); s.Topology != "" && s.Name == name {
		return s.Topology
	}
	return name
}
