package revision

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// No output of git makes its readers fail otherwise than by an error, or write outside of the folder.
func FuzzGit(f *testing.F) {
	const hash = "8ab686eafeb1f44702738c8b0f24f2567c36da6d"
	f.Add([]byte("100644 blob "+hash+"       3\tdevice/a.j2\x00120000 blob "+hash+" 3\tdevice/b\x00"),
		[]byte(hash+" blob 3\nabc\n"+hash+" blob 3\nabc\n"))
	f.Add([]byte("100644 blob "+hash+" 3\t../a.j2\x00"), []byte(hash+" missing\n"))
	f.Add([]byte("160000 commit "+hash+" -\tdevice/module\x00"), []byte(""))
	f.Add([]byte("100644 blob "+hash+" BAD\tdevice/a.bin\x00100644 blob "+hash+" BAD\tdevice/a.j2\x00"), []byte(""))
	f.Add([]byte("100644 blob "+hash+" 99999999999\tdevice/.git/a.j2"), []byte(""))
	f.Fuzz(func(t *testing.T, list, batch []byte) {
		entries, err := entriesOf(list)
		if err != nil {
			return
		}
		total := 0
		for _, e := range entries {
			require.True(t, filepath.IsLocal(e.path))
			total += e.size
		}
		require.LessOrEqual(t, total, mostBytes)
		if total > 1<<20 {
			return
		}
		contents, err := blobs(batch, entries)
		if err == nil {
			require.Len(t, contents, len(entries))
		}
	})
}
