package devicetree_test

import (
	"cmp"
	"encoding/csv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
)

// drawnBy seeds the draw of the findings that people judged.
const drawnBy = 27

// drawn returns 50 of the errors and warnings that are certain, by a seed: first in their order, then shuffled.
func drawn(found []finding.Finding) (out []finding.Finding) {
	for _, f := range found {
		if f.Certain && f.Severity != finding.Note {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b finding.Finding) int {
		return cmp.Or(strings.Compare(string(a.Code), string(b.Code)), strings.Compare(a.Folder, b.Folder),
			strings.Compare(a.File, b.File), strings.Compare(a.Topology, b.Topology), strings.Compare(a.Object, b.Object),
			strings.Compare(a.Message, b.Message))
	})
	r := rand.New(rand.NewPCG(drawnBy, drawnBy))
	r.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out[:min(len(out), 50)]
}

// judged are the rows of testdata/judged.csv: code, folder, file, topology, object, what was looked up, and whether the
// finding is right.
func judged(t *testing.T) [][]string {
	t.Helper()
	file, err := os.Open("testdata/judged.csv")
	require.NoError(t, err)
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	return rows[1:]
}

// TestJudgedRight counts the drawn findings that people judged: all are right.
func TestJudgedRight(t *testing.T) {
	rows := judged(t)
	require.Len(t, rows, 50)
	for _, r := range rows {
		require.NotEmpty(t, r[5], "what was looked up for %v", r[:5])
		require.Equal(t, "yes", r[6], "%v", r[:5])
	}
}

// areJudged compares the draw from a whole tree with the rows.
func areJudged(t *testing.T, found []finding.Finding) {
	t.Helper()
	var got [][]string
	for _, f := range drawn(found) {
		got = append(got, []string{string(f.Code), f.Folder, f.File, f.Topology, f.Object})
	}
	var want [][]string
	for _, r := range judged(t) {
		want = append(want, r[:5])
	}
	require.Equal(t, want, got, "the draw is of other findings: judge them, and write testdata/judged.csv")
}
