//go:build unix

package files_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/files"
)

// A pipe without a writer, an endless device and a socket are refused at once, also by the name of a link to them.
func TestReadRefusesKinds(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("pipe", link))
	socket := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer l.Close()
	for path, what := range map[string]string{
		pipe: "a pipe", link: "a pipe", "/dev/zero": "a device", "/dev/null": "a device", socket: "a socket",
	} {
		_, err := files.Read(t.Context(), path)
		require.ErrorIs(t, err, files.ErrKind)
		require.ErrorContains(t, err, path+" is "+what)
	}
	_, err = files.New().In(t.Context(), dir)(link)
	require.ErrorIs(t, err, files.ErrKind)
}

// A pipe and a character device are written to directly: nothing is there to be kept. Two outputs into one pipe would
// be mixed. /dev/null keeps nothing.
func TestCreateDirect(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o666))
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	defer reader.Close()

	set := files.New()
	for range 2 {
		o, err := set.Create("/dev/null", false)
		require.NoError(t, err)
		_, err = io.WriteString(o, "nowhere")
		require.NoError(t, err)
	}
	o, err := set.Create(pipe, false)
	require.NoError(t, err)
	_, err = io.WriteString(o, "text")
	require.NoError(t, err)
	_, err = set.Create(pipe, false)
	require.ErrorIs(t, err, files.ErrUsed)
	require.NoError(t, set.Commit())
	data, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
}
