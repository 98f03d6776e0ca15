package revision_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/revision"
)

// trap makes a program that leaves a mark, and returns its name and that of the mark.
func trap(t *testing.T) (program, mark string) {
	t.Helper()
	dir := t.TempDir()
	program, mark = filepath.Join(dir, "trap"), filepath.Join(dir, "mark")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >>"+mark+"\ncat\n"), 0o755))
	return program, mark
}

// TestNoProgramOfTheRepositoryRuns sets everything in a repository's configuration that names a program.
func TestNoProgramOfTheRepositoryRuns(t *testing.T) {
	dir := repository(t, map[string]string{sku + "qos.json.j2": "one\n", sku + "platform.json": "{}\n"})
	program, mark := trap(t)
	top := filepath.Dir(dir)
	include := filepath.Join(top, ".git", "more")
	put(t, include, "[filter \"more\"]\n\tclean = "+program+"\n\tsmudge = "+program+"\n")
	config := "[include]\n\tpath = more\n" +
		"[filter \"x\"]\n\tclean = " + program + "\n\tsmudge = " + program + "\n\trequired = true\n" +
		"[filter \"p\"]\n\tprocess = " + program + "\n" +
		"[diff]\n\texternal = " + program + "\n[diff \"x\"]\n\ttextconv = " + program + "\n\tcommand = " + program + "\n" +
		"[core]\n\tfsmonitor = " + program + "\n\tpager = " + program + "\n\tsshCommand = " + program + "\n\thooksPath = " +
		filepath.Dir(program) + "\n\teditor = " + program + "\n\taskPass = " + program + "\n" +
		"[credential]\n\thelper = " + program + "\n[gpg]\n\tprogram = " + program + "\n" +
		"[remote \"origin\"]\n\turl = ext::" + program + "\n\tpromisor = true\n\tuploadpack = " + program + "\n" +
		"[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryFormatVersion = 1\n" +
		"[submodule \"s\"]\n\turl = ext::" + program + "\n\tupdate = !" + program + "\n"
	at := filepath.Join(top, ".git", "config")
	was, err := os.ReadFile(at)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at, append(was, config...), 0o600))
	put(t, filepath.Join(top, ".git", "info", "attributes"),
		"*.j2 filter=x diff=x\n*.json filter=p diff=x\n*.ini filter=more\n")
	for _, hook := range []string{"post-checkout", "post-index-change", "pre-applypatch", "applypatch-msg",
		"fsmonitor-watchman"} {
		require.NoError(t, os.WriteFile(filepath.Join(top, ".git", "hooks", hook), []byte("#!"+program+"\n"), 0o755))
	}
	put(t, filepath.Join(top, ".git", "objects", "info", "alternates"), filepath.Dir(program)+"\n")
	for _, name := range []string{"qos.json.j2", "platform.json"} { // git's index no longer knows whether they differ
		later := time.Now().Add(time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(dir, sku, name), later, later))
	}

	tree, err := revision.Open(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	defer tree.Close()
	changed, err := revision.Changed(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	require.Empty(t, changed)
	patch := "--- a/" + sku + "qos.json.j2\n+++ b/" + sku + "qos.json.j2\n@@ -1 +1 @@\n-one\n+two\n"
	require.NoError(t, tree.Patch(t.Context(), []byte(patch)))
	require.Equal(t, "two\n", content(t, tree, sku+"qos.json.j2"))
	require.NoFileExists(t, mark)
}

// TestPatchInsideARepository: the folder of a revision can be made inside of a repository whose attributes name
// filters.
func TestPatchInsideARepository(t *testing.T) {
	dir := repository(t, map[string]string{sku + "qos.json.j2": "one\n"})
	program, mark := trap(t)
	top := filepath.Dir(dir)
	put(t, filepath.Join(top, ".git", "info", "attributes"), "* filter=x\n")
	run(t, top, "config", "filter.x.clean", program)
	run(t, top, "config", "filter.x.smudge", program)
	inside := filepath.Join(top, "inside")
	require.NoError(t, os.Mkdir(inside, 0o700))
	tree, err := revision.OpenIn(t.Context(), func() (string, error) { return inside, nil }, dir, "HEAD")
	require.NoError(t, err)
	defer tree.Close()
	patch := "--- a/" + sku + "qos.json.j2\n+++ b/" + sku + "qos.json.j2\n@@ -1 +1 @@\n-one\n+two\n"
	require.NoError(t, tree.Patch(t.Context(), []byte(patch)))
	require.Equal(t, "two\n", content(t, tree, sku+"qos.json.j2"))
	require.NoFileExists(t, mark)
}

// TestLinksOfManyFolders: a link may name a path of any length, and costs no more than the folders that are there.
func TestLinksOfManyFolders(t *testing.T) {
	dir := repository(t, map[string]string{sku + "qos.json.j2": "one\n"})
	require.NoError(t, os.Symlink(strings.Repeat("a/", 2000), filepath.Join(dir, sku, "deep")))
	top := filepath.Dir(dir)
	commit(t, top)
	tree, err := revision.Open(t.Context(), dir, "HEAD", "device/v")
	require.NoError(t, err)
	defer tree.Close()
	require.Equal(t, "one\n", content(t, tree, sku+"qos.json.j2"))

	long := filepath.Join(t.TempDir(), "long")
	require.NoError(t, os.WriteFile(long, []byte(strings.Repeat("a/", 300_000)), 0o600))
	hash := strings.TrimSpace(run(t, top, "hash-object", "-w", long))
	run(t, top, "update-index", "--add", "--cacheinfo", "120000,"+hash+",vendor/"+sku+"longer")
	run(t, top, "commit", "--quiet", "--message", "a long link")
	_, err = revision.Open(t.Context(), dir, "HEAD", "device/v")
	require.ErrorContains(t, err, "a symbolic link to a name of 600000 bytes")
	require.Less(t, len(err.Error()), 1000)
}
