package interop

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/stretchr/testify/require"
)

// TestPushFromStartToEnd runs the commands of docs/walkthrough.md. The comment of a
// command has the exit code, if it is not 0, and in quotes what it prints.
func TestPushFromStartToEnd(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "walkthrough.md"))
	require.NoError(t, err)
	section := string(page)

	dir, address := readmeDir(t), free(t)
	section = strings.NewReplacer("go -C interop tool gnmi_cli", "gnmi_cli", "127.0.0.1:9339", address).Replace(section)
	typed := 0
	for line := range strings.Lines(section) {
		command, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    ")
		if !is {
			continue
		}
		typed++
		if background, is := strings.CutSuffix(command, " &"); is {
			runs(t, dir, background)
			require.NoError(t, reachable(address))
			continue
		}
		command, comment, _ := strings.Cut(command, " # ")
		typeAndLook(t, dir, command, comment)
	}
	require.Equal(t, 17, typed)
}

// readmeDir makes a directory with the examples, and puts cellwarden and gnmi_cli on the path.
func readmeDir(t *testing.T) string {
	dir, bin := t.TempDir(), t.TempDir()
	examples, err := filepath.Abs(filepath.Join("..", "examples"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(examples, filepath.Join(dir, "examples")))
	require.NoError(t, os.Symlink(effort.Command(t, "..", "./cmd/cellwarden"), filepath.Join(bin, "cellwarden")))
	require.NoError(t, os.Symlink(gnmiCLI(t), filepath.Join(bin, "gnmi_cli")))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, ".state"))
	t.Setenv("COLUMNS", "1000") // tables do not fold, so that a row is a line
	return dir
}

// runs starts a command and stops it when the test ends.
func runs(t *testing.T, dir, command string) {
	ctx, stop := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, "sh", "-c", "exec "+command)
	c.Dir = dir
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		stop()
		_ = c.Wait()
	})
}

var (
	exitCode = regexp.MustCompile(`exit code (\d)`)
	printed  = regexp.MustCompile(`"([^"]+)"`)
)

// typeAndLook runs a command and compares its result with a comment.
func typeAndLook(t *testing.T, dir, command, comment string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", command)
	c.Dir = dir
	out, err := c.CombinedOutput()
	code := 0
	if bad := (*exec.ExitError)(nil); errors.As(err, &bad) {
		code = bad.ExitCode()
	} else {
		require.NoError(t, err)
	}
	want := 0
	if said := exitCode.FindStringSubmatch(comment); said != nil {
		want, _ = strconv.Atoi(said[1])
	}
	require.Equal(t, want, code, "%s\n%s", command, out)
	for _, said := range printed.FindAllStringSubmatch(comment, -1) {
		require.Contains(t, string(out), said[1], command)
	}
}
