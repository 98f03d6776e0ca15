package size

import (
	"encoding/json"
	"testing"

	"github.com/cellwarden/cellwarden/report"
	"github.com/stretchr/testify/require"
)

// Whatever stands on a line of a batch, it is answered or refused, and an answer is JSON without negative numbers.
func FuzzBatchLine(f *testing.F) {
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
	flags := requestOf(headroomCommand())
	f.Fuzz(func(t *testing.T, line string) {
		answer, err := batchLine([]byte(line), flags)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		text, err := json.Marshal(answer)
		require.NoError(t, err)
		d := answer.(report.HeadroomDocument)
		require.GreaterOrEqual(t, int64(d.XOFF), int64(0), string(text))
		require.GreaterOrEqual(t, int64(d.Cells), int64(0), string(text))
	})
}
