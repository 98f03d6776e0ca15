package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/files"
)

// stubborn is a work that begins an output and does not end when its context does.
func stubborn(ctx context.Context) int {
	set := ctx.Value(cli.FilesKey{}).(*files.Set)
	if _, err := set.Create("half.csv", false); err != nil {
		panic(err)
	}
	folder, err := set.Temporary("cellwarden-revision")
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "qos.json.j2"), nil, 0o600); err != nil {
		panic(err)
	}
	fmt.Println("at work")
	<-ctx.Done()
	fmt.Println("interrupted")
	select {}
}

// The first signal asks, the second ends the process at once, with the exit code of
// a shell, and removes an output that is not complete and temporary folders.
func TestSecondSignalEndsTheProcess(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("stubborn")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for _, want := range []string{"at work", "interrupted"} {
		require.True(t, lines.Scan())
		require.Equal(t, want, lines.Text())
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
	}
	require.False(t, lines.Scan(), "the process ended")
	var ended *exec.ExitError
	require.True(t, errors.As(cmd.Wait(), &ended))
	require.Equal(t, 130, ended.ExitCode())
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	require.Empty(t, append(left, hidden...))
}

// Standard input that nobody writes to does not hold up a command: one signal ends it.
func TestSignalEndsAReadOfStandardInput(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	require.Equal(t, cli.ExitFailure, run(ctx, []string{"plan", "-"}, blocked{}, os.Stdout, os.Stderr))
}

// blocked is a standard input that nobody writes to.
type blocked struct{}

func (blocked) Read([]byte) (int, error) { select {} }
