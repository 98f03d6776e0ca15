package sweep_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/capacity/sweep"
)

func ExampleMerge() {
	var first, second sweep.Shard
	fmt.Println(first.Set("0/2"), second.Set("1/2"), first.Has(1), second.Has(1))
	b := "{\"line\":2}\n" + second.Trailer(false, 1, []byte("three numbers"))
	a := "{\"line\":1}\n{\"line\":3}\n" + first.Trailer(false, 2, []byte("three numbers"))
	fmt.Print(a)
	all, err := sweep.Merge([]string{"b", "a"}, [][]byte{[]byte(b), []byte(a)})
	fmt.Printf("%s%v\n", all, err)
	// Output:
	// <nil> <nil> true false
	// {"line":1}
	// {"line":3}
	// {"shard":"0/2","points":2,"question":"6b665c9d375015633d8a459fe9591d48"}
	// {"line":1}
	// {"line":2}
	// {"line":3}
	// <nil>
}

// partOf is the output of a shard of a question that has this many points.
func partOf(s sweep.Shard, csv bool, points int, question string) string {
	var b strings.Builder
	if csv {
		b.WriteString("line,a\n")
	}
	count := 0
	for n := 1; n <= points; n++ {
		switch {
		case !s.Has(n):
			continue
		case csv:
			fmt.Fprintf(&b, "%d,x\n", n)
		default:
			fmt.Fprintf(&b, "{\"id\":\"l\",\"line\":%d}\n", n)
		}
		count++
	}
	if !s.Whole() {
		b.WriteString(s.Trailer(csv, count, []byte(question)))
	}
	return b.String()
}

// The parts of every number of points, in any number of parts and any order, are one run.
func TestMergeIsOneRun(t *testing.T) {
	for points := range 12 {
		for of := 1; of < 6; of++ {
			for _, csv := range []bool{false, true} {
				var names []string
				var texts [][]byte
				for i := range of {
					i = (i*3 + 1) % of
					if of == 3 {
						i = len(texts)
					}
					names = append(names, fmt.Sprint(i))
					texts = append(texts, []byte(partOf(sweep.Shard{Index: i, Of: of}, csv, points, "q")))
				}
				all, err := sweep.Merge(names, texts)
				require.NoError(t, err, "%d points in %d parts", points, of)
				require.Equal(t, partOf(sweep.Shard{}, csv, points, "q"), string(all))
			}
		}
	}
}

func TestPartsThatAreRefused(t *testing.T) {
	part := func(i, of int, question string) string {
		return partOf(sweep.Shard{Index: i, Of: of}, false, 9, question)
	}
	good := []string{part(0, 3, "q"), part(1, 3, "q"), part(2, 3, "q")}
	lines := strings.SplitAfter(good[1], "\n")
	for name, c := range map[string]struct {
		want  string
		parts []string
	}{
		"last part absent":   {"part 2/3 is missing", good[:2]},
		"two parts absent":   {"parts 1/3, 2/3 are missing", good[:1]},
		"double":             {"a and d are both part 0/3", append(good[:3:3], good[0])},
		"empty":              {"b: empty", []string{good[0], "", good[2]}},
		"cut at a line end":  {"b: no trailer at its end: the part is cut", []string{good[0], lines[0] + lines[1], good[2]}},
		"cut in a line":      {"b: the last line has no end: the part is cut", []string{good[0], good[1][:30], good[2]}},
		"cut in the trailer": {"b: the last line has no end", []string{good[0], good[1][:len(good[1])-1], good[2]}},
		"another question":   {"a and b: want parts of one question", []string{good[0], part(1, 3, "other"), good[2]}},
		"another number":     {"part 0/3 and part 1/4", []string{good[0], part(1, 4, "q"), good[2]}},
		"no part":            {"b: no output of --shard", []string{good[0], "leaf-3\n", good[2]}},
		"a whole run":        {"b: no trailer", []string{good[0], partOf(sweep.Shard{}, false, 9, "q"), good[2]}},
		"a line is gone": {"b: 2 points, and its trailer says 3",
			[]string{good[0], lines[0] + lines[1] + lines[3], good[2]}},
		"a line twice": {"b: line 2 where line 5 is expected",
			[]string{good[0], lines[0] + lines[0] + lines[2] + lines[3], good[2]}},
		"a line without a number": {"b: a line without a number",
			[]string{good[0], lines[0] + "{}\n" + lines[2] + lines[3], good[2]}},
		"two parts in one file": {"b: text after the trailer", []string{good[0], good[1] + good[2]}},
		"too few lines": {"line 8 is in no part", []string{good[0], lines[0] + lines[1] +
			sweep.Shard{Index: 1, Of: 3}.Trailer(false, 2, []byte("q")), good[2]}},
		"nothing": {"no part", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var texts [][]byte
			for _, p := range c.parts {
				texts = append(texts, []byte(p))
			}
			all, err := sweep.Merge([]string{"a", "b", "c", "d"}[:len(texts)], texts)
			require.ErrorContains(t, err, c.want)
			require.Empty(t, all)
		})
	}
	require.Error(t, new(sweep.Shard).Set("2/2"))
}

// FuzzMerge changes two parts of nine points: what is still accepted has the same answers in the same order.
func FuzzMerge(f *testing.F) {
	for _, csv := range []bool{false, true} {
		a, b := partOf(sweep.Shard{Index: 0, Of: 2}, csv, 9, "q"), partOf(sweep.Shard{Index: 1, Of: 2}, csv, 9, "q")
		f.Add([]byte(a), []byte(b))
		f.Add([]byte(a), []byte(b[:len(b)/2]))
	}
	f.Add([]byte("# {\"shard\":\"0/2\",\"points\":0}\n"), []byte("{\"shard\":\"1/2\",\"points\":-1}\n"))
	f.Add([]byte{}, []byte("root:x:0:0:root:/root:/bin/bash\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		all, err := sweep.Merge([]string{"a", "b"}, [][]byte{a, b})
		if err != nil {
			require.Empty(t, all)
			require.Less(t, len(err.Error()), 500)
			return
		}
		again, err := sweep.Merge([]string{"b", "a"}, [][]byte{b, a})
		require.NoError(t, err)
		require.Equal(t, all, again)
		// Both parts are there whole: every line but the headers and the trailers.
		lines := bytes.Count(a, []byte("\n")) + bytes.Count(b, []byte("\n")) - 2
		if len(all) > 0 && all[0] != '{' {
			lines--
		}
		require.Equal(t, lines, bytes.Count(all, []byte("\n")))
	})
}
