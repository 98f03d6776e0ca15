package scenario

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/unit"
)

// since is the last change of all, also where a port has had more of them than are kept, and the document has it too.
func TestSinceIsTheLastChange(t *testing.T) {
	s, err := Read("s.yaml", []byte(`name: s
until: 40us
classes: [{name: rdma, priority: 3, lossless: true}]
topology: {kind: incast, senders: 1, rate: 100G, cable: 10m}
host: {pfc: [rdma], dcbx: {willing: true}}
switch: {cell: 208B, pool: 64KiB, pfc: [rdma], groups: {rdma: {alpha: 1/8, headroom: 64KiB}}}
flows: [{from: h1, to: receiver, class: rdma, frame: 1024B}]
expect: {dcbx: [{at: h1, since: 6us..8us}]}
`), os.ReadFile)
	require.NoError(t, err)
	at := fabric.AtHost(0)
	res := &Result{Ports: []portResult{{At: at, DCBX: &negotiated{DCBXState: fabric.DCBXState{
		Changes: []fabric.DCBXChange{{At: 3 * unit.Microsecond}}, Changed: 2, ChangedAt: 7 * unit.Microsecond}}}}}
	require.Empty(t, s.Expect[0].check(res))
	require.EqualValues(t, 7*unit.Microsecond, *documentDCBX(res)[0].Since)
	res.Ports[0].DCBX.DCBXState = fabric.DCBXState{}
	require.Contains(t, s.Expect[0].check(res), "never, expected 6us..8us")
	require.Nil(t, documentDCBX(res)[0].Since)
}
