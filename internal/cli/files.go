package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli/member"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/topology"
)

// This file reads and writes the files of a command. All of them are opened by package internal/files.

// FilesKey is the key of a context's files.
type FilesKey struct{}

// WithFiles adds the files of one command to its context. Standard output is one of them: no other output may be the
// same.
func WithFiles(ctx context.Context, set *files.Set, stdout io.Writer) context.Context {
	if f, ok := stdout.(*os.File); ok {
		set.Writes(f)
	}
	return context.WithValue(ctx, FilesKey{}, set)
}

// FilesOf returns the context of a command and its files.
func FilesOf(cmd *cobra.Command) (context.Context, *files.Set) {
	ctx := cmd.Context()
	if ctx == nil { // a command that a test made and did not run
		ctx = context.Background()
	}
	if set, ok := ctx.Value(FilesKey{}).(*files.Set); ok {
		return ctx, set
	}
	return ctx, files.New()
}

// StandardInput is the name of "-" in messages.
const StandardInput = "standard input"

// ShownName returns the name of an input for messages.
func ShownName(file string) string {
	if file == "-" {
		return StandardInput
	}
	return file
}

// ReadInput reads a file, or standard input for "-". It returns its name for messages.
func ReadInput(cmd *cobra.Command, file string) (string, []byte, error) {
	ctx, set := FilesOf(cmd)
	file = member.File(ctx, file)
	if file == "-" {
		data, err := files.ReadStream(ctx, StandardInput, cmd.InOrStdin())
		return StandardInput, data, err
	}
	data, err := set.Read(ctx, file)
	return file, data, err
}

// Named returns a function that reads files which the user names on the command line.
func Named(cmd *cobra.Command) topology.Open {
	ctx, set := FilesOf(cmd)
	return func(path string) ([]byte, error) { return set.Read(ctx, path) }
}

// confine is the name of the flag.
const confine = "confine"

// ConfineFlag adds --confine to a command that reads a file which names others.
func ConfineFlag(c *cobra.Command) {
	c.Flags().Bool(confine, false, "read no file that is not in the folder of the file that names it, or below it "+
		"(default: for standard input and with --targets; --confine=false allows all)")
}

// Beside returns a function that reads the files which another file names. With
// --confine they are below the folder of this file. elsewhere is the default: the
// author of the file is not the one who runs the command.
func Beside(cmd *cobra.Command, file string, elsewhere bool) topology.Open {
	confined := elsewhere || file == "-"
	if flag := cmd.Flags().Lookup(confine); flag != nil && flag.Changed {
		confined = flag.Value.String() == "true"
	}
	if !confined {
		return Named(cmd)
	}
	ctx, set := FilesOf(cmd)
	folder := "."
	if file != "-" {
		folder = filepath.Dir(member.File(ctx, file))
	}
	return set.In(ctx, folder)
}

// InWorkingDirectory is beside for a batch, whose lines name files as flags do: relative to the working directory.
func InWorkingDirectory(cmd *cobra.Command, file string) topology.Open {
	if file != "-" {
		file = "batch"
	}
	return Beside(cmd, file, false)
}

// Force is the name of the flag.
const Force = "force"

// ForceFlag adds --force to a command that writes files.
func ForceFlag(c *cobra.Command) {
	if c.Flags().Lookup(Force) == nil {
		c.Flags().Bool(Force, false, "replace files that exist already")
	}
}

// Create begins an output of a command. It has its name when the command commits its files.
func Create(cmd *cobra.Command, path string) (*files.Output, error) {
	_, set := FilesOf(cmd)
	replace, err := cmd.Flags().GetBool(Force)
	if err != nil {
		return nil, err
	}
	return set.Create(path, replace)
}

// Commit gives the outputs of a command their names.
func Commit(cmd *cobra.Command) error {
	_, set := FilesOf(cmd)
	return set.Commit()
}
