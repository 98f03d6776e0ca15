package revision_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/revision"
)

// newFolder makes the folder of a revision.
func newFolder() (string, error) { return os.MkdirTemp("", "cellwarden-revision") }

// What an audit reads of the parent of the current commit. It prints nothing that is compared: it needs a repository.
func Example() {
	ctx, dir := context.Background(), "."
	before, err := revision.Open(ctx, newFolder, dir, "HEAD")
	if err != nil {
		log.Print(err)
		return
	}
	defer before.Close()
	fmt.Println(before.Commit, before.Path)
}

// repository makes a repository with a commit of these files, in a folder below its top, and returns that folder. A
// content that begins with "-> " makes a symbolic link.
func repository(t *testing.T, content map[string]string) string {
	t.Helper()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Cleanup(func() { // after those of the test: no folder stays behind
		left, err := filepath.Glob(filepath.Join(temporary, "*"))
		require.NoError(t, err)
		require.Empty(t, left)
	})
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	top := t.TempDir()
	dir := filepath.Join(top, "vendor")
	for name, text := range content {
		put(t, filepath.Join(dir, name), text)
	}
	run(t, top, "init", "--quiet")
	commit(t, top)
	return dir
}

func put(t *testing.T, at, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o777))
	if to, link := strings.CutPrefix(text, "-> "); link {
		require.NoError(t, os.Symlink(to, at))
	} else {
		require.NoError(t, os.WriteFile(at, []byte(text), 0o666))
	}
}

func commit(t *testing.T, dir string) {
	t.Helper()
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "--quiet", "--message", "a change")
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@b", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// content reads a file of a tree; "absent" where it is not.
func content(t *testing.T, tree *revision.Tree, name string) string {
	t.Helper()
	at := filepath.Join(tree.Path, name)
	if to, err := os.Readlink(at); err == nil {
		return "-> " + to
	}
	text, err := os.ReadFile(at)
	if os.IsNotExist(err) {
		return "absent"
	}
	require.NoError(t, err)
	return string(text)
}

const sku = "device/v/p/s/"

func TestOpen(t *testing.T) {
	dir := repository(t, map[string]string{
		sku + "qos.json.j2": "one", sku + "buffers.json.j2": "-> qos.json.j2",
		sku + "out.j2":       "-> ../../../../../../etc/passwd",
		sku + "firmware.bin": "large", "files/build_templates/qos_config.j2": "two", "src/code.j2": "three",
		"device/v/p/other": "-> s", sku + "with space\nand line.j2": "four",
	})
	put(t, filepath.Join(dir, sku, "qos.json.j2"), "changed")
	put(t, filepath.Join(dir, sku, "new.j2"), "new")
	before := run(t, dir, "status", "--porcelain")
	tree, err := revision.Open(t.Context(), newFolder, dir, "HEAD")
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(run(t, dir, "rev-parse", "HEAD")), tree.Commit)
	for name, want := range map[string]string{
		sku + "qos.json.j2": "one", sku + "buffers.json.j2": "-> qos.json.j2", "device/v/p/other": "-> s",
		sku + "out.j2": "-> ../../../../../../etc/passwd", sku + "firmware.bin": "absent", sku + "new.j2": "absent",
		"files/build_templates/qos_config.j2": "two", "src/code.j2": "absent", sku + "with space\nand line.j2": "four",
	} {
		require.Equal(t, want, content(t, tree, name), name)
	}
	require.Equal(t, before, run(t, dir, "status", "--porcelain"))
	changed, err := revision.Changed(t.Context(), dir, "HEAD")
	require.NoError(t, err)
	require.Equal(t, []string{sku + "qos.json.j2", sku + "new.j2"}, changed)
	require.NoError(t, tree.Close())
	require.NoDirExists(t, tree.Path)

	// A bare repository, as a mirror is.
	bare := filepath.Join(t.TempDir(), "bare")
	commit(t, dir)
	run(t, filepath.Dir(dir), "clone", "--quiet", "--bare", ".", bare)
	tree, err = revision.Open(t.Context(), newFolder, bare, "HEAD~1")
	require.NoError(t, err)
	require.NoError(t, tree.Close())
}

// TestOpenPart: the folder has what the audit of some folders reads, through links of files and of folders. Links that
// lead to each other end.
func TestOpenPart(t *testing.T) {
	const vendor = "device/v/p/"
	dir := repository(t, map[string]string{
		vendor + "platform.json": "{}", vendor + "s/qos.json.j2": "-> ../../../common/qos.j2",
		vendor + "s/BALANCED": "-> ../../../common/profiles/gold", vendor + "s/0/port_config.ini": "ports",
		vendor + "other/qos.json.j2": "other", "device/common/qos.j2": "common", "device/common/none.j2": "unused",
		"device/common/profiles/gold/buffers.json.j2": "-> ../silver.j2", "device/common/profiles/silver.j2": "silver",
		"device/v/q": "-> p", vendor + "s/loop": "-> ring/a", vendor + "s/ring": "-> loop/b",
		vendor + "s/long": "-> long/a", "files/build_templates/qos_config.j2": "all", vendor + "s/out.j2": "-> /etc/x",
	})
	for _, below := range []string{vendor + "s", "device/v/q/s", "./device//v/p/s/"} {
		tree, err := revision.Open(t.Context(), newFolder, dir, "HEAD", below)
		require.NoError(t, err)
		defer tree.Close()
		for name, want := range map[string]string{
			vendor + "s/qos.json.j2": "-> ../../../common/qos.j2", "device/common/qos.j2": "common",
			"device/common/none.j2": "absent", "device/common/profiles/gold/buffers.json.j2": "-> ../silver.j2",
			"device/common/profiles/silver.j2": "silver", vendor + "other/qos.json.j2": "absent",
			vendor + "s/0/port_config.ini": "ports", "files/build_templates/qos_config.j2": "all",
			vendor + "s/loop": "-> ring/a", vendor + "s/out.j2": "-> /etc/x", vendor + "platform.json": "{}",
		} {
			require.Equal(t, want, content(t, tree, name), "%s: %s", below, name)
		}
		if strings.HasPrefix(below, "device/v/q") {
			require.Equal(t, "-> p", content(t, tree, "device/v/q"))
		}
	}
}

func TestNoRevision(t *testing.T) {
	dir := repository(t, map[string]string{sku + "qos.json.j2": "one"})
	for _, rev := range []string{"none", "", "--all", "HEAD~1", "HEAD:vendor", "-p", "HEAD\n",
		strings.Repeat("a", 40)} {
		_, err := revision.Open(t.Context(), newFolder, dir, rev)
		require.ErrorIs(t, err, revision.ErrNoRevision, rev)
	}
	_, err := revision.Changed(t.Context(), dir, "--output=/tmp/x")
	require.Error(t, err)
	_, err = revision.Open(t.Context(), newFolder, t.TempDir(), "HEAD")
	require.ErrorContains(t, err, "not a git repository")
}

func TestPatch(t *testing.T) {
	dir := repository(t, map[string]string{sku + "qos.json.j2": "one\n", sku + "README": "read me\n"})
	put(t, filepath.Join(dir, sku, "qos.json.j2"), "two\n")
	put(t, filepath.Join(dir, sku, "README"), "changed\n")
	put(t, filepath.Join(dir, sku, "new.j2"), "new\n")
	run(t, dir, "add", "-A")
	patch := run(t, dir, "diff", "--cached", "--relative")
	tree, err := revision.Open(t.Context(), newFolder, dir, "HEAD")
	require.NoError(t, err)
	defer tree.Close()
	require.NoError(t, tree.Patch(t.Context(), []byte(patch)))
	require.Equal(t, "two\n", content(t, tree, sku+"qos.json.j2"))
	require.Equal(t, "new\n", content(t, tree, sku+"new.j2"))
	require.Equal(t, "absent", content(t, tree, sku+"README"))
	before, err := revision.Open(t.Context(), newFolder, dir, "HEAD")
	require.NoError(t, err)
	defer before.Close()
	changed, err := revision.Differences(before, tree)
	require.NoError(t, err)
	require.Equal(t, []string{sku + "new.j2", sku + "qos.json.j2"}, changed)

	require.ErrorContains(t, tree.Patch(t.Context(), []byte(patch)), "qos.json.j2")
	for _, name := range []string{"../x.j2", "/tmp/x.j2", "device/../../x.j2"} {
		text := strings.ReplaceAll(patch, sku+"new.j2", name)
		_ = tree.Patch(t.Context(), []byte(text))
		require.NoFileExists(t, filepath.Join(tree.Path, "..", "x.j2"))
	}
}

// stopping is a context that ends when it is looked at for the nth time.
type stopping struct {
	context.Context
	stop  context.CancelFunc
	looks int
}

func (s *stopping) Err() error {
	if s.looks--; s.looks == 0 {
		s.stop()
	}
	return s.Context.Err()
}

// TestNothingIsLeftBehind: wherever it is stopped, there is no folder afterwards.
func TestNothingIsLeftBehind(t *testing.T) {
	dir := repository(t, map[string]string{sku + "qos.json.j2": "one", sku + "buffers.json.j2": "-> qos.json.j2"})
	temporary := os.Getenv("TMPDIR")
	stopped := 0
	for looks := 1; ; looks++ {
		inner, stop := context.WithCancel(t.Context())
		tree, err := revision.Open(&stopping{inner, stop, looks}, newFolder, dir, "HEAD")
		stop()
		if err == nil {
			require.NoError(t, tree.Close())
		} else {
			stopped++
		}
		left, glob := filepath.Glob(filepath.Join(temporary, "*"))
		require.NoError(t, glob)
		require.Empty(t, left)
		if err == nil {
			break
		}
	}
	require.GreaterOrEqual(t, stopped, 2, "once before each file")
}
