package sweep_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/capacity/sweep"
)

func ExampleMerge() {
	var first, second sweep.Shard
	fmt.Println(first.Set("0/2"), second.Set("1/2"), first.Has(1), second.Has(1))
	all, err := sweep.Merge([]string{"b", "a"}, [][]byte{[]byte(`{"line":2}` + "\n"),
		[]byte(`{"line":1}` + "\n" + `{"line":3}` + "\n")})
	fmt.Printf("%s%v\n", all, err)
	// Output:
	// <nil> <nil> true false
	// {"line":1}
	// {"line":2}
	// {"line":3}
	// <nil>
}

func TestPartsThatAreRefused(t *testing.T) {
	for want, parts := range map[string][2]string{
		"line 2 is in no file: a part is missing": {"{\"line\":1}\n", "{\"line\":3}\n"},
		"line 1 is in a and in b":                 {"{\"line\":1}\n", "{\"line\":1}\n"},
		"the last line has no end":                {"{\"line\":1}\n", "{\"line\":2}"},
		"a line without a number":                 {"{\"line\":1}\n", "{}\n"},
		"line 1 after line 1":                     {"{\"line\":1}\n{\"line\":1}\n", ""},
		"with the same columns":                   {"line,a\n1,2\n", "line,b\n2,3\n"},
	} {
		_, err := sweep.Merge([]string{"a", "b"}, [][]byte{[]byte(parts[0]), []byte(parts[1])})
		require.ErrorContains(t, err, want)
	}
	require.Error(t, new(sweep.Shard).Set("2/2"))
}
