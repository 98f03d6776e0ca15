package files_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/files"
)

// put writes files of a new folder, each with its name as content, and returns the folder.
func put(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(name), 0o666))
	}
	return dir
}

// content returns what is in a file.
func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestReadRefuses(t *testing.T) {
	dir := put(t, "a")
	_, err := files.Read(t.Context(), dir)
	require.ErrorIs(t, err, files.ErrKind)
	require.EqualError(t, err, dir+" is a directory: want a regular file, or - for standard input")
	_, err = files.Read(t.Context(), filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = files.Read(stopped, filepath.Join(dir, "a"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = files.ReadAtMost(t.Context(), filepath.Join(dir, "a"), 0)
	require.EqualError(t, err, filepath.Join(dir, "a")+": too long: 1 bytes: want at most 0")
}

// A file of the largest size costs its size, and one that is larger costs nothing: it is refused by its size.
func TestReadIsBounded(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(big, nil, 0o666))
	for _, c := range []struct {
		size int64
		most uint64
		ok   bool
	}{{files.MaxBytes, 2 * files.MaxBytes, true}, {files.MaxBytes + 1, 64 << 10, false}, {1 << 40, 64 << 10, false}} {
		require.NoError(t, os.Truncate(big, c.size))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		data, err := files.Read(t.Context(), big)
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, c.most, "%d bytes", c.size)
		if c.ok {
			require.NoError(t, err)
			require.Len(t, data, int(c.size))
		} else {
			require.ErrorIs(t, err, files.ErrLong)
		}
	}
}

// endless is a stream that never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

func TestReadStream(t *testing.T) {
	data, err := files.ReadStream(t.Context(), "standard input", strings.NewReader("text"))
	require.NoError(t, err)
	require.Equal(t, "text", string(data))

	var e endless
	_, err = files.ReadStream(t.Context(), "standard input", &e)
	require.EqualError(t, err, "standard input: too long: want at most 16777216 bytes")
	require.LessOrEqual(t, e.read, files.MaxBytes+64<<10)

	failed := errors.New("the disk failed")
	_, err = files.ReadStream(t.Context(), "x", io.MultiReader(bytes.NewReader([]byte("a")), broken{failed}))
	require.ErrorIs(t, err, failed)
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// Standard input that nobody writes to does not hold up a command that is interrupted.
func TestReadStreamStops(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := files.ReadStream(ctx, "standard input", r)
	require.ErrorIs(t, err, context.Canceled)
}

// Whatever a name says, nothing above the folder is read.
func TestIn(t *testing.T) {
	dir := put(t, "in/a", "in/sub/b", "key.pem", "index")
	in := filepath.Join(dir, "in")
	for link, to := range map[string]string{
		"in/out": filepath.Join(dir, "key.pem"), "in/up": "../key.pem", "in/fine": "sub/b", "in/folder": "..",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	open := files.New().In(t.Context(), in)
	for path, want := range map[string]string{
		"in/a": "in/a", "in/sub/b": "in/sub/b", "in/fine": "in/sub/b", "in/sub/../a": "in/a", "in/../in/a": "in/a",
		"in/out": "", "in/up": "", "in/folder/key.pem": "", "key.pem": "", "in/../key.pem": "", "index": "", "in/..": "",
	} {
		data, err := open(filepath.Join(dir, path))
		if want == "" {
			require.ErrorIs(t, err, files.ErrOutside, path)
		} else {
			require.NoError(t, err, path)
			require.Equal(t, want, string(data))
		}
	}
	_, err := open(filepath.Join(in, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = open(filepath.Join(in, "sub"))
	require.ErrorIs(t, err, files.ErrKind)
	_, err = files.New().In(t.Context(), filepath.Join(dir, "none"))("x")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestCreate(t *testing.T) {
	dir := put(t, "input", "old")
	path := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.Symlink("old", path("link")))
	require.NoError(t, os.Link(path("input"), path("hard")))
	require.NoError(t, os.Symlink(dir, path("same")))

	set := files.New()
	_, err := set.Read(t.Context(), path("input"))
	require.NoError(t, err)
	for name, want := range map[string]error{
		"input": files.ErrUsed, "hard": files.ErrUsed, "link": files.ErrKind, "same": files.ErrKind,
		"same/input": files.ErrUsed, "none/x": fs.ErrNotExist,
	} {
		for _, force := range []bool{false, true} {
			_, err := set.Create(path(name), force)
			require.ErrorIs(t, err, want, name)
		}
	}
	_, err = set.Create(path("old"), false)
	require.ErrorIs(t, err, files.ErrExists)
	_, err = set.Create("-", true)
	require.ErrorContains(t, err, "standard output has the report")

	old, err := set.Create(path("old"), true)
	require.NoError(t, err)
	fresh, err := set.Create(path("fresh"), false)
	require.NoError(t, err)
	for _, name := range []string{"fresh", "FRESH", "same/fresh", "old"} {
		_, err = set.Create(path(name), true)
		require.ErrorIs(t, err, files.ErrUsed, name)
	}
	_, err = io.WriteString(old, "new")
	require.NoError(t, err)
	_, err = io.WriteString(fresh, "fresh")
	require.NoError(t, err)
	require.Equal(t, "old", content(t, path("old")), "until the command has ended well")
	require.NoError(t, set.Commit())
	require.Equal(t, "new", content(t, path("old")))
	require.Equal(t, "fresh", content(t, path("fresh")))
	require.Equal(t, []string{"fresh", "hard", "input", "link", "old", "same"}, list(t, dir), "nothing else is left")
	_, err = set.Create(path("old"), true)
	require.ErrorIs(t, err, files.ErrUsed, "an output that is complete is not replaced by the next")
}

// list returns the names in a folder.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range all {
		names = append(names, f.Name())
	}
	return names
}

// A command that fails leaves what was there.
func TestDiscard(t *testing.T) {
	dir := put(t, "old")
	set := files.New()
	for _, name := range []string{"old", "fresh"} {
		o, err := set.Create(filepath.Join(dir, name), true)
		require.NoError(t, err)
		_, err = io.WriteString(o, "half")
		require.NoError(t, err)
	}
	set.Discard()
	require.Equal(t, []string{"old"}, list(t, dir))
	require.Equal(t, "old", content(t, filepath.Join(dir, "old")))
	require.NoError(t, set.Commit(), "nothing is left to be done")
}

// A file that appears while the output is written is not replaced, and an output of the same command is not complete
// without the other.
func TestCommitFails(t *testing.T) {
	dir := put(t)
	set := files.New()
	for _, name := range []string{"a", "b"} {
		_, err := set.Create(filepath.Join(dir, name), false)
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("another's"), 0o666))
	require.ErrorIs(t, set.Commit(), fs.ErrExist)
	require.Equal(t, "another's", content(t, filepath.Join(dir, "a")))
	require.Equal(t, []string{"a"}, list(t, dir))
}

// A file that is replaced keeps its permissions.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are those of Unix")
	}
	path := filepath.Join(put(t, "old"), "old")
	require.NoError(t, os.Chmod(path, 0o640))
	set := files.New()
	_, err := set.Create(path, true)
	require.NoError(t, err)
	require.NoError(t, set.Commit())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), info.Mode())
}

// Standard output that is a file is an output like the others.
func TestWrites(t *testing.T) {
	path := filepath.Join(put(t, "out"), "out")
	stdout, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer stdout.Close()
	set := files.New()
	set.Writes(stdout)
	_, err = set.Create(path, true)
	require.ErrorIs(t, err, files.ErrUsed)
	require.ErrorContains(t, err, "it is the standard output of this command")
}

// FuzzIn asks for any path below a folder that has a key beside it.
func FuzzIn(f *testing.F) {
	for _, path := range []string{"a", "sub/../a", "../key", "/etc/passwd", "out", "folder/key", "./a", "sub/../../key",
		"a\x00"} {
		f.Add(path)
	}
	dir := f.TempDir()
	in := filepath.Join(dir, "in")
	require.NoError(f, os.Mkdir(in, 0o777))
	require.NoError(f, os.WriteFile(filepath.Join(in, "a"), []byte("mine"), 0o666))
	require.NoError(f, os.WriteFile(filepath.Join(dir, "key"), []byte("secret"), 0o666))
	require.NoError(f, os.Symlink("../key", filepath.Join(in, "out")))
	require.NoError(f, os.Symlink("..", filepath.Join(in, "folder")))
	f.Fuzz(func(t *testing.T, path string) {
		open := files.New().In(t.Context(), in)
		for _, p := range []string{path, filepath.Join(in, path)} {
			if data, err := open(p); err == nil {
				require.Equal(t, "mine", string(data))
			}
		}
	})
}

// TestTemporaryFolders: they are removed with all that is in them, by Commit and by Discard, also twice.
func TestTemporaryFolders(t *testing.T) {
	parent := t.TempDir()
	t.Setenv("TMPDIR", parent)
	for name, end := range map[string]func(*files.Set) error{"commit": (*files.Set).Commit,
		"discard": func(s *files.Set) error { s.Discard(); return nil }} {
		set := files.New()
		for range 2 {
			folder, err := set.Temporary("cellwarden-test")
			require.NoError(t, err)
			require.Equal(t, parent, filepath.Dir(folder))
			require.NoError(t, os.MkdirAll(filepath.Join(folder, "device", "v"), 0o700))
		}
		require.NoError(t, end(set), name)
		require.NoError(t, end(set), name)
		left, err := os.ReadDir(parent)
		require.NoError(t, err)
		require.Empty(t, left, name)
	}
}
