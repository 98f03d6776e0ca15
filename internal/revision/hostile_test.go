package revision_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

	tree, err := revision.Open(t.Context(), newFolder, dir, "HEAD")
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
	tree, err := revision.Open(t.Context(), func() (string, error) { return inside, nil }, dir, "HEAD")
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
	tree, err := revision.Open(t.Context(), newFolder, dir, "HEAD", "device/v")
	require.NoError(t, err)
	defer tree.Close()
	require.Equal(t, "one\n", content(t, tree, sku+"qos.json.j2"))

	long := filepath.Join(t.TempDir(), "long")
	require.NoError(t, os.WriteFile(long, []byte(strings.Repeat("a/", 300_000)), 0o600))
	hash := strings.TrimSpace(run(t, top, "hash-object", "-w", long))
	run(t, top, "update-index", "--add", "--cacheinfo", "120000,"+hash+",vendor/"+sku+"longer")
	run(t, top, "commit", "--quiet", "--message", "a long link")
	_, err = revision.Open(t.Context(), newFolder, dir, "HEAD", "device/v")
	require.ErrorContains(t, err, "a symbolic link to a name of 600000 bytes")
	require.Less(t, len(err.Error()), 1000)
}

// TestPipesOfTheRepository puts named pipes in the place of files that git reads. Git reads a pipe for ever. The audit
// ends at its bound.
func TestPipesOfTheRepository(t *testing.T) {
	for _, name := range []string{"HEAD", "config", filepath.Join("objects", "info", "alternates")} {
		dir := repository(t, map[string]string{sku + "qos.json.j2": "one\n"})
		at := filepath.Join(filepath.Dir(dir), ".git", name)
		_ = os.Remove(at)
		require.NoError(t, syscall.Mkfifo(at, 0o600))
		revision.HurryGit(t, 200*time.Millisecond)
		_, err := revision.Open(t.Context(), newFolder, dir, "HEAD")
		require.ErrorContains(t, err, "git did not end within 200ms (want no named pipe among the files of the repository)",
			name)
	}
}

// TestWorktreesAndSubmodules: a linked worktree is read as its repository is, and a submodule is no part of it. Neither
// has its own programs run.
func TestWorktreesAndSubmodules(t *testing.T) {
	dir := repository(t, map[string]string{sku + "qos.json.j2": "one\n"})
	top := filepath.Dir(dir)
	program, mark := trap(t)
	hostile := "[core]\n\tfsmonitor = " + program + "\n\thooksPath = " + filepath.Dir(program) +
		"\n[filter \"x\"]\n\tclean = " + program + "\n[diff]\n\texternal = " + program + "\n"

	module := filepath.Join(top, "vendor", "module")
	require.NoError(t, os.MkdirAll(module, 0o700))
	run(t, module, "init", "--quiet")
	put(t, filepath.Join(module, "file"), "one\n")
	commit(t, module)
	put(t, filepath.Join(top, ".gitmodules"), "[submodule \"m\"]\n\tpath = vendor/module\n\turl = ext::"+program+
		"\n\tupdate = !"+program+"\n")
	commit(t, top)
	linked := filepath.Join(t.TempDir(), "linked")
	run(t, top, "worktree", "add", "--quiet", linked)
	run(t, top, "config", "extensions.worktreeConfig", "true")
	run(t, top, "config", "submodule.recurse", "true")
	gitOf, err := filepath.Glob(filepath.Join(top, ".git", "worktrees", "*"))
	require.NoError(t, err)
	require.Len(t, gitOf, 1)
	put(t, filepath.Join(gitOf[0], "config.worktree"), hostile)
	put(t, filepath.Join(module, ".git", "info", "attributes"), "* filter=x\n")
	was, err := os.ReadFile(filepath.Join(module, ".git", "config"))
	require.NoError(t, err)
	put(t, filepath.Join(module, ".git", "config"), string(was)+hostile)
	put(t, filepath.Join(module, "file"), "two\n")
	put(t, filepath.Join(linked, "vendor", sku, "qos.json.j2"), "two\n")

	for at, differ := range map[string]int{dir: 0, filepath.Join(linked, "vendor"): 1} {
		tree, err := revision.Open(t.Context(), newFolder, at, "HEAD")
		require.NoError(t, err)
		defer tree.Close()
		require.Equal(t, "one\n", content(t, tree, sku+"qos.json.j2"))
		changed, err := revision.Changed(t.Context(), at, "HEAD")
		require.NoError(t, err)
		require.Len(t, changed, differ, at)
	}
	require.NoFileExists(t, mark)
}
