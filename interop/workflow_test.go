package interop

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/require"
)

// The workflow that docs/audit.md shows is one that GitHub takes, and its inputs are those of action.yml. Our own
// workflow is one, too.
func TestWorkflows(t *testing.T) {
	root := t.TempDir()
	copied := func(from, to string) []byte {
		text, err := os.ReadFile(filepath.Join("..", from))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, to)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, to), text, 0o600))
		return text
	}
	require.NoError(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
	for _, own := range []string{"ci.yml", "release.yml"} {
		copied(".github/workflows/"+own, ".github/workflows/"+own)
	}
	copied("action.yml", "cellwarden/action.yml")
	doc := copied("docs/audit.md", "audit.md")
	shown := regexp.MustCompile("(?s)```yaml\n(name: .*?)```").FindSubmatch(doc)
	require.NotNil(t, shown, "docs/audit.md shows no workflow")
	uses := regexp.MustCompile(`cellwarden/cellwarden@\S+`)
	require.Len(t, uses.FindAll(shown[1], -1), 1)
	workflow := uses.ReplaceAll(shown[1], []byte("./cellwarden"))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".github/workflows/audit.yml"), workflow, 0o600))

	var out bytes.Buffer
	linter, err := actionlint.NewLinter(&out, &actionlint.LinterOptions{WorkingDir: root})
	require.NoError(t, err)
	found, err := linter.LintRepository(root)
	require.NoError(t, err)
	require.Empty(t, found, out.String())

	workflow = bytes.Replace(workflow, []byte("slack:"), []byte("slak:"), 1)
	require.NoError(t, os.WriteFile(filepath.Join(root, ".github/workflows/audit.yml"), workflow, 0o600))
	found, err = linter.LintRepository(root)
	require.NoError(t, err)
	require.Len(t, found, 1, "an input that action.yml does not have")
}
