// Package size has the verb that sizes one link: headroom, with its tables (--fit) and replay buffers (--llr). The
// incasts of capacity --burst are here too.
//
// The verb is five questions with one set of flags. headroom.go decides which is asked. A headroom is a request
// (headroom_request.go: texts by key, from flags or from a line of --batch), which becomes a job of a link, a memory
// and a method; headroom_report.go prints its terms, headroom_batch.go answers many, headroom_compare.go asks every
// method, and headroom_credits.go puts the credits of CBFC beside it. fit.go and llr.go are about tables and replay
// buffers, which take some of the same flags and refuse the others.
//
// Quantities stay texts until a link is made of them, so that all bad values are reported at once and in the words of
// whoever wrote them: flags with hyphens, or keys of a line.
package size

import "github.com/cellwarden/cellwarden/internal/cli"

// Commands are the verbs of this group.
func Commands() cli.Verbs { return cli.Verbs{"headroom": headroomCommand} }
