package link

import "github.com/cellwarden/cellwarden/internal/cli"

// Commands are the verbs of this group.
func Commands() cli.Verbs { return cli.Verbs{"link": linkCommand} }
