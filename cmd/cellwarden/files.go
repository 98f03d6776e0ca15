package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/topology"
)

// This file reads and writes the files of a command. All of them are opened by
// package internal/files.

// filesKey is the key of a context's files.
type filesKey struct{}

// withFiles adds the files of one command to its context. Standard output is one of
// them: no other output may be the same.
func withFiles(ctx context.Context, set *files.Set, stdout io.Writer) context.Context {
	if f, ok := stdout.(*os.File); ok {
		set.Writes(f)
	}
	return context.WithValue(ctx, filesKey{}, set)
}

// filesOf returns the context of a command and its files.
func filesOf(cmd *cobra.Command) (context.Context, *files.Set) {
	ctx := cmd.Context()
	if ctx == nil { // a command that a test made and did not run
		ctx = context.Background()
	}
	if set, ok := ctx.Value(filesKey{}).(*files.Set); ok {
		return ctx, set
	}
	return ctx, files.New()
}

// standardInput is the name of "-" in messages.
const standardInput = "standard input"

// readInput reads a file, or standard input for "-". It returns its name for
// messages.
func readInput(cmd *cobra.Command, file string) (string, []byte, error) {
	ctx, set := filesOf(cmd)
	if file == "-" {
		data, err := files.ReadStream(ctx, standardInput, cmd.InOrStdin())
		return standardInput, data, err
	}
	data, err := set.Read(ctx, file)
	return file, data, err
}

// named returns a function that reads files which the user names on the command
// line.
func named(cmd *cobra.Command) topology.Open {
	ctx, set := filesOf(cmd)
	return func(path string) ([]byte, error) { return set.Read(ctx, path) }
}

// confine is the name of the flag.
const confine = "confine"

// confineFlag adds --confine to a command that reads a file which names others.
func confineFlag(c *cobra.Command) {
	c.Flags().Bool(confine, false, "read no file that is not in the folder of the file that names it, or below it "+
		"(default: for standard input and with --targets; --confine=false allows all)")
}

// beside returns a function that reads the files which another file names. With
// --confine they are below the folder of this file. elsewhere is the default: the
// author of the file is not the one who runs the command.
func beside(cmd *cobra.Command, file string, elsewhere bool) topology.Open {
	confined := elsewhere || file == "-"
	if flag := cmd.Flags().Lookup(confine); flag != nil && flag.Changed {
		confined = flag.Value.String() == "true"
	}
	if !confined {
		return named(cmd)
	}
	ctx, set := filesOf(cmd)
	folder := "."
	if file != "-" {
		folder = filepath.Dir(file)
	}
	return set.In(ctx, folder)
}

// inWorkingDirectory is beside for a batch, whose lines name files as flags do:
// relative to the working directory.
func inWorkingDirectory(cmd *cobra.Command, file string) topology.Open {
	if file != "-" {
		file = "batch"
	}
	return beside(cmd, file, false)
}

// force is the name of the flag.
const force = "force"

// forceFlag adds --force to a command that writes files, or the name in its place
// if the command has another --force.
func forceFlag(c *cobra.Command) {
	const help = "replace files that exist already"
	switch {
	case c.Flags().Lookup(force) == nil:
		c.Flags().Bool(force, false, help)
	case c.Flags().Lookup(forceTables) == nil && c.Flags().Lookup(force).Usage != help:
		c.Flags().Bool(forceTables, false, help)
	}
}

// forceTables is --force of a command whose --force has another meaning.
const forceTables = "force-tables"

// create begins an output of a command. It has its name when the command commits its
// files.
func create(cmd *cobra.Command, path string) (*files.Output, error) {
	_, set := filesOf(cmd)
	name := force
	if cmd.Flags().Lookup(forceTables) != nil {
		name = forceTables
	}
	replace, err := cmd.Flags().GetBool(name)
	if err != nil {
		return nil, err
	}
	return set.Create(path, replace)
}

// commit gives the outputs of a command their names.
func commit(cmd *cobra.Command) error {
	_, set := filesOf(cmd)
	return set.Commit()
}
