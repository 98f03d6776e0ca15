package journal_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// A journal costs at most 16 bytes of memory, allocated in all, for each of its bytes, and 4 KiB for each of its lines.
func TestBudget(t *testing.T) {
	effort.SkipShort(t, "it reads journals as large as they may be")
	start := `{"schema":"cellwarden.journal/v1","kind":"start","before":[%s],"want":[]}` + "\n"
	phase := `{"schema":"cellwarden.journal/v1","kind":"send","phase":1,"commit":"c"}` + "\n"
	setting := `{"kind":"headroom","port":"e1","index":3,"value":5}`
	many := strings.TrimSuffix(strings.Repeat(setting+",", 200_000), ",")
	for name, text := range map[string]string{
		"registers": fmt.Sprintf(start, many),
		"commits":   fmt.Sprintf(start, "") + strings.Repeat(phase, journal.MaxLines-1),
		"lines":     fmt.Sprintf(start, "") + strings.Repeat("{}\n", 1<<20),
		"one line":  `{"schema":"` + strings.Repeat("x", 8<<20) + `"}` + "\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := journal.Reader{}.Read([]byte(text))
		runtime.ReadMemStats(&after)
		most := 16*len(text) + 4<<10*min(strings.Count(text, "\n"), journal.MaxLines)
		if err != nil {
			require.Less(t, len(err.Error()), 300, name)
		}
		require.LessOrEqual(t, int(after.TotalAlloc-before.TotalAlloc), most, name)
	}
	_, err := journal.Reader{}.Read([]byte(fmt.Sprintf(start, "") + strings.Repeat(phase, journal.MaxLines)))
	require.EqualError(t, err, "line 10001: want at most 10000 lines: a push has two for each phase")
}
