package revision_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/revision"
)

// A file of a revision is read as it was there, by its path now, and through links that stay in the repository.
func TestReadFile(t *testing.T) {
	dir := repository(t, map[string]string{"a/table.ini": "first", "b/linked.ini": "-> ../a/table.ini",
		"b/loop": "-> loop", "b/out": "-> ../../../elsewhere", "b/absolute": "-> /etc/hostname", "b/gone": "-> ../c/none"})
	put(t, filepath.Join(dir, "a/new.ini"), "new")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a/table.ini"), []byte("second"), 0o666))
	real, err := filepath.EvalSymlinks(filepath.Join(dir, "a"))
	require.NoError(t, err)
	for _, name := range []string{"a/table.ini", "b/linked.ini", "b/../a/table.ini"} {
		f, err := revision.ReadFile(context.Background(), "HEAD", filepath.Join(dir, name))
		require.NoError(t, err, name)
		require.Equal(t, revision.File{Path: filepath.Join(real, "table.ini"), Data: []byte("first")}, f, name)
	}
	for _, name := range []string{"a/new.ini", "a", "b/none", "b/loop", "b/out", "b/absolute", "b/gone",
		"none/table.ini"} {
		_, err := revision.ReadFile(context.Background(), "HEAD", filepath.Join(dir, name))
		require.ErrorIs(t, err, fs.ErrNotExist, name)
	}
	_, err = revision.ReadFile(context.Background(), "none", filepath.Join(dir, "a/table.ini"))
	require.ErrorIs(t, err, revision.ErrNoRevision)
	require.NotErrorIs(t, err, fs.ErrNotExist)
}

// The files and the links of a revision below a folder are listed by their paths now, also those that are gone.
func TestNames(t *testing.T) {
	dir := repository(t, map[string]string{"a/table.ini": "", "a/b/c.ini": "", "d": "", "a/link": "-> b"})
	require.NoError(t, os.Remove(filepath.Join(dir, "a/table.ini")))
	names, err := revision.Names(context.Background(), "HEAD", filepath.Join(dir, "a"))
	require.NoError(t, err)
	at := filepath.Join(dir, "a")
	require.Equal(t, []string{at + "/b/c.ini", at + "/link", at + "/table.ini"}, names)
	_, err = revision.Names(context.Background(), "HEAD", filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
