package push

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
)

// writeFiles writes files into a directory, which is made where it is not there; empty: their names say it. Files that
// exist are replaced with --force alone. All get their names together, or none. flag is in front of the error of the
// directory.
func writeFiles(cmd *cobra.Command, flag, directory string, files []nos.File) error {
	if directory != "" {
		// The mode is that of every folder that a user makes; the umask takes away from it.
		if err := os.MkdirAll(directory, 0o777); err != nil {
			return cli.ExitWith(cli.ExitFailure, fmt.Errorf("%s%w", flag, err))
		}
	}
	for _, file := range files {
		out, err := cli.Create(cmd, filepath.Join(directory, file.Name))
		if err == nil {
			_, err = out.Write(file.Content)
		}
		if err != nil {
			return cli.ExitWith(cli.ExitFailure, err)
		}
	}
	return cli.Failure(cli.Commit(cmd))
}
