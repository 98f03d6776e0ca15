package effort

import (
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// paths are those of the commands that this process has asked for, by folder and package.
var paths sync.Map

// Command returns the path of the command of a package of the module in dir. It is linked once for the tests of all
// packages, because linking takes longer than most of them: the path is in the build cache, where go run keeps commands
// (since Go 1.24).
func Command(t testing.TB, dir, pkg string) string {
	t.Helper()
	path, _ := paths.LoadOrStore([2]string{dir, pkg}, sync.OnceValues(func() (string, error) { return link(dir, pkg) }))
	out, err := path.(func() (string, error))()
	if err != nil {
		t.Fatalf("go run %s: %v: %s", pkg, err, out)
	}
	return out
}

// link returns the path of a command, or what go said. The first time go run links a command, it has a path that is
// removed at the end; the second time it is the one that is kept.
func link(dir, pkg string) (out string, err error) {
	for range 2 {
		c := exec.Command("go", "run", "-exec", "echo", pkg)
		c.Dir = dir
		var said strings.Builder
		c.Stderr = &said
		text, err := c.Output()
		if err != nil {
			return said.String(), err
		}
		out = strings.TrimSpace(string(text))
	}
	return out, nil
}
