package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

var (
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)|(?m)^\[[^\]]+\]: (\S+)$`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	code    = regexp.MustCompile("(?ms)^```.*?^```$")
)

// TestLinks checks that every relative link of every document leads to a file, and to a heading if it names one.
func TestLinks(t *testing.T) {
	effort.SkipShort(t, "it compares each link")
	links := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		for _, m := range linked.FindAllStringSubmatch(code.ReplaceAllString(read(t, path), ""), -1) {
			to := m[1] + m[2]
			if strings.Contains(to, "://") {
				continue
			}
			links++
			file, anchor, _ := strings.Cut(to, "#")
			if file = filepath.Join(filepath.Dir(path), file); strings.HasPrefix(to, "#") {
				file = path
			}
			require.FileExists(t, file, "%s links to %s", path, to)
			if anchor != "" {
				require.Contains(t, anchors(read(t, file)), anchor, "%s links to %s", path, to)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, links, 40)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// anchors are the headings of a document as links name them: lower case, with
// hyphens for blanks and without punctuation.
func anchors(page string) []string {
	var out []string
	for _, m := range heading.FindAllStringSubmatch(code.ReplaceAllString(page, ""), -1) {
		name := regexp.MustCompile(`[^\w\- ]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(name, " ", "-"))
	}
	return out
}
