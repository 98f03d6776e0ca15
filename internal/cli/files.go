package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/topology"
)

// This file reads and writes the files of a command. All of them are opened by package internal/files.

// FilesKey is the key of a context's files. The context has them, and no variable of the package, because tests and
// fabrics run many commands in one process.
type FilesKey struct{}

// WithFiles adds the files of one command to its context. Standard output is one of them: no other output may be the
// same.
func WithFiles(ctx context.Context, set *files.Set, stdout io.Writer) context.Context {
	if f, ok := stdout.(*os.File); ok {
		set.Writes(f)
	}
	return context.WithValue(ctx, FilesKey{}, set)
}

// FilesOf returns the context of a command and its files. A command without a set gets one of its own, which nobody
// commits: it can read.
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

// StandardInput is the name of "-" in messages.
const StandardInput = "standard input"

// ShownName returns the name of an input for messages. Without it a complaint would begin with a hyphen, which looks
// like a flag.
func ShownName(file string) string {
	if file == "-" {
		return StandardInput
	}
	return file
}

// ReadInput reads a file, or standard input for "-". It returns its name for messages. The file of a switch of a
// fabric is that of its topology: see Member. A stream is read to its end or until the context ends, because the
// other side may be a person.
func ReadInput(cmd *cobra.Command, file string) (string, []byte, error) {
	ctx, set := FilesOf(cmd)
	file = cmp.Or(MemberOf(ctx, file).Topology, file)
	if file == "-" {
		data, err := files.ReadStream(ctx, StandardInput, cmd.InOrStdin())
		return StandardInput, data, err
	}
	data, err := set.Read(ctx, file)
	return file, data, err
}

// Named returns a function that reads files which the user names on the command line. They are not confined, because
// the one who runs the command has typed their names.
func Named(cmd *cobra.Command) topology.Open {
	ctx, set := FilesOf(cmd)
	return func(path string) ([]byte, error) { return set.Read(ctx, path) }
}

// Confine is the name of the flag.
const Confine = "confine"

// ConfineFlag adds --confine to a command that reads a file which names others.
func ConfineFlag(c *cobra.Command) {
	c.Flags().Bool(Confine, false, "read no file that is not in the folder of the file that names it, or below it "+
		"(default: for standard input and with --targets; --confine=false allows all)")
}

// Beside returns a function that reads the files which another file names. With
// --confine they are below the folder of this file. elsewhere is the default: the
// author of the file is not the one who runs the command. A flag that is not given leaves the default, which depends
// on where the file comes from: standard input has no folder that its author could mean, so files in the working
// directory are taken then.
func Beside(cmd *cobra.Command, file string, elsewhere bool) topology.Open {
	confined := elsewhere || file == "-"
	if flag := cmd.Flags().Lookup(Confine); flag != nil && flag.Changed {
		confined = flag.Value.String() == "true"
	}
	if !confined {
		return Named(cmd)
	}
	ctx, set := FilesOf(cmd)
	folder := "."
	if file != "-" {
		folder = filepath.Dir(cmp.Or(MemberOf(ctx, file).Topology, file))
	}
	return set.In(ctx, folder)
}

// Force is the name of the flag.
const Force = "force"

// ForceFlag adds --force to a command that writes files. A verb may have the flag by TableFlags already.
func ForceFlag(c *cobra.Command) {
	if c.Flags().Lookup(Force) == nil {
		c.Flags().Bool(Force, false, "replace files that exist already")
	}
}

// Create begins an output of a command. It has its name when the command commits its files. Until then it has a
// temporary name beside its own, so an interrupted command leaves no half of a file.
func Create(cmd *cobra.Command, path string) (*files.Output, error) {
	_, set := FilesOf(cmd)
	replace, err := cmd.Flags().GetBool(Force)
	if err != nil {
		return nil, err
	}
	return set.Create(path, replace)
}

// Commit gives the outputs of a command their names. A command that fails does not call it, and its outputs are
// removed when the process ends: see run in cmd/cellwarden.
func Commit(cmd *cobra.Command) error {
	_, set := FilesOf(cmd)
	return set.Commit()
}

// Put begins an output with the whole of its content.
func Put(cmd *cobra.Command, path string, data []byte) error {
	out, err := Create(cmd, path)
	if err == nil {
		_, err = out.Write(data)
	}
	return err
}

// Store writes a file of a command and commits it, or writes standard output for "" and "-".
func Store(cmd *cobra.Command, path string, data []byte) error {
	if path == "" || path == "-" {
		_, err := cmd.OutOrStdout().Write(data)
		return err
	}
	if err := Put(cmd, path, data); err != nil {
		return err
	}
	return Commit(cmd)
}
