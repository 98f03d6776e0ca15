package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// gone are verbs that became a part of another, and the command that does the same. Scripts that call them learn it
// from the error, whatever flags they give. now is what stands after "cellwarden" in the error, so a reader can copy
// it.
var gone = []struct{ verb, now string }{
	{"report", "plan FILE -o html"},
	{"merge", "sweep --merge PART... or plan --merge PART..."},
	{"fit", "headroom --fit FILE"},
	{"llr", "headroom --llr, or headroom --llr --fit FILE"},
	{"burst", "capacity FILE --burst"},
	{"lint", "audit TABLE.ini"},
	{"profiles", "asic profiles"},
}

// goneCommands answer for verbs that are gone: wrong usage, and the command that replaces them. They are hidden from
// --help and completion, and parse no flags: an old flag must not be refused before the verb is.
func goneCommands() []*cobra.Command {
	out := make([]*cobra.Command, len(gone))
	for i, g := range gone {
		out[i] = &cobra.Command{Use: g.verb, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return fmt.Errorf("%s is no verb any more: cellwarden %s", g.verb, g.now)
			}}
	}
	return out
}
