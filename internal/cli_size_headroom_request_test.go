package internal_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/cli/size"
)

// Whatever stands on a line of a batch, it is answered or refused, and an answer is JSON without negative numbers.
func FuzzSizeBatchLine(f *testing.F) {
	for _, line := range []string{
		`{"method":"sonic-dynamic","chip":"spectrum-3","speed":"400G","cable":"300m","mtu":"9100B","lossless_mtu":"1024B","lanes":8}`,
		`{"method":"cisco-practical","speed":"10G","cable":"15km","from":"10km","buffer_size":"166400B","cell":"416B"}`,
		`{"speed":"1.6T","delay":"10ms","extra_delay":"10ms","cell":"1B","frame":"64B:1%,65B:99%","response_delay":"1s"}`,
		`{"method":"mlxsw","speed":"100G","cable":"3m","cell":"96B","pause":true,"pfc_delay":"9223372036854775807B"}`,
		`{"method":"broadcom-th3","speed":"25G","cable":"1000km","chip":"tomahawk3"}`,
		`{"method":"juniper","mru":"0B"}`, `[]`, `{"lanes":1e400}`, `{"a":{}} {}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := size.HeadroomCommand()
		c.SilenceErrors, c.SilenceUsage = true, true
		var out bytes.Buffer
		c.SetArgs([]string{"--batch", "-"})
		c.SetIn(strings.NewReader(text))
		c.SetOut(&out)
		c.SetErr(io.Discard)
		err := c.ExecuteContext(t.Context())
		asked, answered, failed := 0, 0, 0
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) != "" {
				asked++
			}
		}
		for line := range bytes.Lines(out.Bytes()) {
			var answer struct {
				Schema string
				Error  *string
				Cells  int64 `json:"xoff_cells"`
				XOFF   int64 `json:"xoff_bytes"`
			}
			require.NoError(t, json.Unmarshal(line, &answer), "%s", line)
			answered++
			if answer.Error != nil {
				require.NotEmpty(t, *answer.Error)
				failed++
				continue
			}
			require.NotEmpty(t, answer.Schema, "%s", line)
			require.GreaterOrEqual(t, answer.XOFF, int64(0), "%s", line)
			require.GreaterOrEqual(t, answer.Cells, int64(0), "%s", line)
		}
		require.Equal(t, asked, answered)
		require.Equal(t, failed == 0, err == nil)
	})
}
