package golden_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// offer is a remedy and the refused intent that it was offered to.
type offer struct {
	name   string
	in     buffer.Intent
	remedy buffer.Remedy
}

// offers collects the remedies of the first refused intents, by what they change.
func offers(t *testing.T, refused int) map[string][]offer {
	t.Helper()
	out := map[string][]offer{}
	for seed := uint64(0); refused > 0; seed++ {
		in, name := golden.Random(source(seed)), fmt.Sprint("seed ", seed)
		if golden.Admit(in).Fits() {
			continue
		}
		refused--
		plan, err := buffer.New(in)
		require.NoError(t, err, name)
		for _, r := range plan.Refusals {
			require.Equal(t, plan.Refusals[0].Remedies, r.Remedies, name)
		}
		for _, r := range plan.Refusals[0].Remedies {
			out[r.Change] = append(out[r.Change], offer{name + ": " + r.Text, in, r})
		}
	}
	return out
}

// Each remedy, carried out by hand, makes the slow model admit every port. The
// largest value that it names is the largest that fits.
func TestRemediesDoWhatTheySay(t *testing.T) {
	effort.SkipShort(t, "it takes 500 refused intents for each remedy to be offered")
	offered := offers(t, 500)
	for change := range offered {
		require.Contains(t, remade, change, "a remedy that is not checked")
	}
	for change, remake := range remade {
		t.Run(change, func(t *testing.T) {
			require.NotEmpty(t, offered[change], "no intent was offered this remedy")
			for _, o := range offered[change] {
				enough, tooMuch := remake(t, o.in, o.remedy.To)
				if change == "ports" {
					enough, tooMuch = keepPorts(t, o.in, o.remedy.Keep)
				}
				require.True(t, admission(t, enough, o.name).Fits(), o.name)
				require.True(t, golden.Admit(enough).Fits(), "%s: not by the slow model", o.name)
				if tooMuch != nil && (change != "pool.shared_headroom" || leavesFrames(*tooMuch)) {
					require.False(t, fits(*tooMuch), "%s: but a value one step nearer fits, too", o.name)
				}
			}
		})
	}
}

// fits tells whether an intent is valid and fits by the slow model.
func fits(in buffer.Intent) bool {
	_, err := buffer.NewAdmission(in)
	return err == nil && golden.Admit(in).Fits()
}

// remade makes the change of a remedy: as it says, and one step less
// of a change or beyond the largest value, where that is possible.
var remade = map[string]func(t *testing.T, in buffer.Intent, to string) (enough buffer.Intent, tooMuch *buffer.Intent){
	"ports":                       remakePorts,
	"cable":                       remakeCable,
	"ports and cable":             remakePortsAndCable,
	"mtu":                         remakeFrames,
	"reserved":                    remakeReserved,
	"port_reserved":               remakePortReserved,
	"queue_reserved":              remakeQueueReserved,
	"credits":                     remakeCredits,
	"shared_credits":              remakeSharedCredits,
	"headroom":                    remakeHeadroom,
	"headroom.delays":             remakeDelays,
	"headroom.frame":              remakeFrame,
	"headroom.response_delay":     remakeResponse,
	"pool.size":                   remakeSize,
	"pool.shared_headroom":        remakeSharedHeadroom,
	"pool.size_includes_headroom": remakeIncludes,
	"pool.shared_headroom_ratio":  remakeRatio,
	"shared_floor":                remakeFloor,
}

// remakeDelays takes the delays that the remedy names.
func remakeDelays(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	m := in.Sizing.(thresholds.IEEE)
	var err error
	m.Delays.Sum, err = thresholds.ParseDelaySum(to)
	require.NoError(t, err)
	in.Sizing = m
	return in, nil
}

// remakeFrame has frames from a size on, and from one byte less.
func remakeFrame(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	m := in.Sizing.(thresholds.IEEE)
	var err error
	m.Mix, err = thresholds.ParseMix(to)
	require.NoError(t, err)
	shorter := m
	shorter.Mix.From--
	less := in
	in.Sizing, less.Sizing = m, shorter
	return in, &less
}

// remakeResponse has senders with a response time, and with a nanosecond more.
func remakeResponse(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	m := in.Sizing.(thresholds.IEEE)
	response, err := unit.ParseTime(to)
	require.NoError(t, err)
	m.Delays.EveryResponse = unit.Given(response)
	slower := m
	slower.Delays.EveryResponse = unit.Given(response + unit.Nanosecond)
	more := in
	in.Sizing, more.Sizing = m, slower
	return in, &more
}

// remakePorts says how many ports stay. Which they are, keepPorts reads.
func remakePorts(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	n, err := strconv.Atoi(to)
	require.NoError(t, err)
	require.Less(t, n, len(in.Ports))
	return in, nil
}

// keepPorts keeps the ports where they are among all, and these with the first of the others.
func keepPorts(t *testing.T, in buffer.Intent, keep []string) (buffer.Intent, *buffer.Intent) {
	enough, more, added := in, in, false
	enough.Ports, more.Ports = nil, nil
	for i, p := range in.Ports {
		p.Pipe = new(in.PipeOf(i))
		if slices.Contains(keep, p.Name) {
			enough.Ports, more.Ports = append(enough.Ports, p), append(more.Ports, p)
		} else if !added {
			more.Ports, added = append(more.Ports, p), true
		}
	}
	require.Len(t, enough.Ports, len(keep))
	return enough, &more
}

// leavesFrames tells whether every slice has two longest frames left to share.
// A shared headroom pool that leaves less is not offered.
func leavesFrames(in buffer.Intent) bool {
	plan, err := buffer.New(in)
	if err != nil {
		return true // it is refused anyway
	}
	var longest unit.Bytes
	for i := range in.Ports {
		longest = max(longest, in.Ports[i].MTU)
	}
	for _, s := range plan.Slices {
		if s.Shared < 2*in.Chip.Cell.Packet(longest, in.Chip.Overhead) {
			return false
		}
	}
	return true
}

func remakeCable(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	longest, err := unit.ParseLength(to)
	require.NoError(t, err)
	if _, ok := in.Sizing.(*table.Table); ok {
		return cutCables(in, longest), nil
	}
	longer := cutCables(in, longest+unit.Metre)
	return cutCables(in, longest), &longer
}

// remakePortsAndCable reads "12, 194m": so many ports, none with a longer cable.
func remakePortsAndCable(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	number, length, ok := strings.Cut(to, ", ")
	require.True(t, ok, to)
	n, err := strconv.Atoi(number)
	require.NoError(t, err)
	in.Ports = in.Ports[:n]
	return remakeCable(t, in, length)
}

func cutCables(in buffer.Intent, longest unit.Length) buffer.Intent {
	in.Ports = slices.Clone(in.Ports)
	for i := range in.Ports {
		in.Ports[i].Cable = min(in.Ports[i].Cable, longest)
	}
	return in
}

func remakeReserved(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	most, err := unit.ParseBytes(to)
	require.NoError(t, err)
	more := cutReserved(in, most+in.Chip.Cell.Bytes(1))
	return cutReserved(in, most), &more
}

func cutReserved(in buffer.Intent, most unit.Bytes) buffer.Intent {
	in.Classes = slices.Clone(in.Classes)
	for i := range in.Classes {
		if c := &in.Classes[i]; c.Reserved.Or(0) > most {
			c.Reserved = unit.Given(most)
		}
	}
	return in
}

func remakeFrames(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	most, err := unit.ParseBytes(to)
	require.NoError(t, err)
	more := cutFrames(in, most+1)
	return cutFrames(in, most), &more
}

func cutFrames(in buffer.Intent, most unit.Bytes) buffer.Intent {
	in.Ports, in.Classes = slices.Clone(in.Ports), slices.Clone(in.Classes)
	for i := range in.Ports {
		in.Ports[i].MTU = min(in.Ports[i].MTU, most)
	}
	for i := range in.Classes {
		in.Classes[i].MTU = min(in.Classes[i].MTU, most)
	}
	return in
}

func remakePortReserved(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	most, err := unit.ParseBytes(to)
	require.NoError(t, err)
	more := cutPortReserved(in, most+in.Chip.Cell.Bytes(1))
	return cutPortReserved(in, most), &more
}

func cutPortReserved(in buffer.Intent, most unit.Bytes) buffer.Intent {
	in.Ports = slices.Clone(in.Ports)
	for i := range in.Ports {
		in.Ports[i].Reserved = min(in.Ports[i].Reserved, most)
	}
	return in
}

func remakeQueueReserved(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	most, err := unit.ParseBytes(to)
	require.NoError(t, err)
	more := cutQueueReserved(in, most+in.Chip.Cell.Bytes(1))
	return cutQueueReserved(in, most), &more
}

func cutQueueReserved(in buffer.Intent, most unit.Bytes) buffer.Intent {
	in.Classes = slices.Clone(in.Classes)
	for i := range in.Classes {
		in.Classes[i].QueueReserved = min(in.Classes[i].QueueReserved, most)
	}
	return in
}

func remakeHeadroom(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	most, err := unit.ParseBytes(to)
	require.NoError(t, err)
	more := in
	more.Sizing = atMost{in.Sizing, in.Chip.Cell.Within(most) + 1}
	in.Sizing = atMost{in.Sizing, in.Chip.Cell.Within(most)}
	return in, &more
}

// atMost is a sizer whose headroom is cut.
type atMost struct {
	thresholds.Sizer
	most cells.Count
}

func (s atMost) Size(l thresholds.Link, m thresholds.Memory) (thresholds.Headroom, error) {
	h, err := s.Sizer.Size(l, m)
	h.Cells = min(h.Cells, s.most)
	return h, err
}

func (s atMost) Explain(l thresholds.Link, m thresholds.Memory) (thresholds.Explanation, error) {
	h, err := s.Size(l, m)
	return thresholds.Explanation{Headroom: h}, err
}

// step is what a size for the whole chip has to grow by for each slice to get one more cell.
func step(in buffer.Intent) unit.Bytes {
	return in.Chip.Cell.Bytes(cells.Count(len(in.Chip.Slices)))
}

func remakeSize(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	size, err := unit.ParseBytes(to)
	require.NoError(t, err)
	require.Less(t, size, in.Pool.Size)
	more := in
	in.Pool.Size = size
	more.Pool.Size = size + step(in)
	return in, &more
}

func remakeSharedHeadroom(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	size, err := unit.ParseBytes(to)
	require.NoError(t, err)
	beyond := in
	beyond.Pool.SharedHeadroom = size + step(in)
	if in.Pool.SharedHeadroom > 0 && size > in.Pool.SharedHeadroom { // it has to grow: a step less is too little
		beyond.Pool.SharedHeadroom = size - step(in)
	}
	in.Pool.SharedHeadroom = size
	if beyond.Pool.SharedHeadroom == 0 { // that is no smaller pool but none
		return in, nil
	}
	return in, &beyond
}

func remakeRatio(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	ratio, err := strconv.Atoi(to)
	require.NoError(t, err)
	require.Greater(t, ratio, in.Pool.SharedHeadroomRatio)
	less := in
	in.Pool.SharedHeadroomRatio = ratio
	less.Pool.SharedHeadroomRatio = ratio - 1
	return in, &less
}

func remakeIncludes(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	require.Equal(t, "true", to)
	require.False(t, in.Pool.SizeIncludesHeadroom)
	in.Pool.SizeIncludesHeadroom = true
	return in, nil
}

func remakeFloor(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	share, err := unit.ParsePercent(to)
	require.NoError(t, err)
	more := in
	in.SharedFloor = share
	more.SharedFloor = share + unit.HundredthPercent
	return in, &more
}
