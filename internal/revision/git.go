package revision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrNoGit says that there is no git.
var ErrNoGit = errors.New("git is not installed")

// Bounds of what git prints.
const (
	maxHash = 1 << 10
	maxList = 64 << 20
)

// gitTime bounds the time of one command of git. A foreign repository may have a named pipe in the place of a file. Git
// would read the pipe for ever.
var gitTime = 2 * time.Minute

// command returns a command of git with fixed arguments in a folder. It fetches nothing: a missing object of a partial
// clone is an error. It asks nobody. The commands that this package gives it read objects and names, or apply a patch
// outside of the repository; none of them runs a program that the repository names: no filter, hook, pager, textconv,
// external diff or monitor of files.
func command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	at, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoGit
	}
	always := []string{"--no-pager", "--no-replace-objects", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null"}
	cmd := exec.CommandContext(ctx, at, append(always, args...)...)
	cmd.Dir = dir
	// A hook of git has variables that name its repository: the folder decides here.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
			"GIT_EXTERNAL_DIFF"}, name)
	})
	// A folder of a revision is no repository, also where the folder for temporary ones is inside of one.
	if len(args) > 0 && args[0] == "apply" {
		cmd.Env = append(cmd.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	}
	cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	return cmd, nil
}

// git runs a command and returns what it prints, of at most this many bytes.
func git(ctx context.Context, dir string, in []byte, most int64, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, gitTime, fmt.Errorf("git did not end within %v (want no named pipe among "+
		"the files of the repository)", gitTime))
	defer stop()
	cmd, err := command(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &limited{&said, 4 << 10}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(out, most+1))
	if int64(len(text)) > most {
		stop()
		err = fmt.Errorf("git %s: want at most %d bytes of output", args[0], most)
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], ended, strings.Join(strings.Fields(said.String()), " "))
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = context.Cause(ctx)
	}
	return text, err
}

// limited keeps the beginning of what is written to it.
type limited struct {
	to   *bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.to.Write(p[:n])
	return len(p), nil
}

// read returns the contents of entries, from one git cat-file --batch.
func read(ctx context.Context, dir string, entries []entry) ([][]byte, error) {
	var hashes bytes.Buffer
	most := int64(0)
	for _, e := range entries {
		hashes.WriteString(e.hash + "\n")
		most += int64(e.size) + maxHash
	}
	text, err := git(ctx, dir, hashes.Bytes(), most, "cat-file", "--batch")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	contents, err := blobs(text, entries)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return contents, nil
}

// blobs divides the output of git cat-file --batch: for each entry a line "hash blob size", the content and a line
// feed.
func blobs(text []byte, entries []entry) ([][]byte, error) {
	out := make([][]byte, 0, len(entries))
	for _, e := range entries {
		head, rest, _ := bytes.Cut(text, []byte("\n"))
		if want := fmt.Sprintf("%s blob %d", e.hash, e.size); string(head) != want || len(rest) <= e.size {
			return nil, fmt.Errorf("git cat-file: %.200q: %.200q: want %q and the content", e.path, head, want)
		}
		out, text = append(out, rest[:e.size:e.size]), rest[e.size+1:]
	}
	return out, nil
}
