package cli

import (
	"context"

	"github.com/cellwarden/cellwarden/topology"
)

// Member is a switch of a fabric that a command is asked about. Every verb of one switch reads it: FABRIC:SWITCH is
// then the name of its topology. Only diff has two. The zero Member is none.
type Member struct {
	Name     string // on the command line, FABRIC:SWITCH
	Topology string // the file that is read in its place
	Changes  []topology.Override
}

// memberKey is the key of a context's members.
type memberKey struct{}

// WithMember adds a switch to a context, before those that it has.
func WithMember(ctx context.Context, m Member) context.Context {
	return context.WithValue(ctx, memberKey{}, append([]Member{m}, membersOf(ctx)...))
}

func membersOf(ctx context.Context) []Member {
	all, _ := ctx.Value(memberKey{}).([]Member)
	return all
}

// MemberOf returns the switch that a name of the command line stands for. The zero Member: it is the name of a file.
func MemberOf(ctx context.Context, name string) Member {
	for _, m := range membersOf(ctx) {
		if m.Name == name {
			return m
		}
	}
	return Member{}
}
