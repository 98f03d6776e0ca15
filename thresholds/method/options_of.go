package method

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// OptionsOf returns the parameters with which NewSizer makes a method for a chip: the inverse of NewSizer. The error
// says that no parameters make it, as of a method with delays of its own for some speeds, or of a table, which is a
// file.
func OptionsOf(s thresholds.Sizer, chip string) (Options, error) {
	o := Options{}
	switch m := s.(type) {
	case thresholds.IEEE:
		o.mix("frame", m.Mix)
		if m.Delays.Sum != thresholds.SumOfEnds {
			o["delays"] = m.Delays.Sum.String()
		}
		given(o, "interface_delay", m.Delays.EveryInterface)
		given(o, "response_delay", m.Delays.EveryResponse)
	case Juniper:
		given(o, "mru", m.MRU)
		o.mix("frame", m.Mix)
	case BroadcomTH3:
		o.mix("frame", m.Mix)
	case BroadcomDelay:
		given(o, "user_delay", m.UserDelay)
		notZero(o, "switch_delay", m.SwitchDelay)
		given(o, "max_packet", m.MaxPacket)
	case MLXSW:
		given(o, "pfc_delay", m.DelayBytes)
		o.flag("pause", m.Pause)
		o.lanes(m.Lanes)
	case CiscoPractical:
		given(o, "from", m.From)
		given(o, "buffer_size", m.BufferSize)
		given(o, "pause_threshold", m.PauseThreshold)
		given(o, "resume_threshold", m.ResumeThreshold)
	case SONiC:
		o.sonic(m, chip)
	}
	again, err := NewSizer(s.Method(), chip, o)
	if err != nil || !reflect.DeepEqual(again, s) {
		return nil, fmt.Errorf("method %s: no parameters give this sizer; with %v it is another one", s.Method(),
			slices.Sorted(maps.Keys(o)))
	}
	return o, nil
}

// sonic adds what differs from SONiC's own values for the chip.
func (o Options) sonic(m SONiC, chip string) {
	own, known := LookupSONiCChip(chip)
	if !known || m.Chip.Cell != own.Cell {
		o["cell"] = unit.Bytes(m.Chip.Cell).String()
	}
	for key, value := range map[string][2]SONiCKiB{"pipeline_latency": {m.Chip.PipelineLatency, own.PipelineLatency},
		"mac_phy_delay": {m.Chip.MACPHY, own.MACPHY}, "peer_response": {m.Chip.PeerResponse, own.PeerResponse}} {
		if !known || value[0] != value[1] {
			o[key] = value[0].String()
		}
	}
	notZero(o, "gearbox_delay", m.Gearbox)
	o.lanes(m.Lanes)
	given(o, "small_packets", m.SmallPackets)
	o.flag("shared_headroom", m.SharedHeadroom)
	if m.Variant != SONiCCurrent {
		o["variant"] = m.Variant.String()
	}
	_, constant := o["peer_response"]
	switch {
	case m.Corrected:
		o["corrected"] = "true"
	case m.Exact && !constant:
		o["corrected"] = "false"
	}
}

func (o Options) mix(key string, m thresholds.Mix) {
	if m != (thresholds.Mix{}) {
		o[key] = m.String()
	}
}

func (o Options) flag(key string, is bool) {
	if is {
		o[key] = "true"
	}
}

func (o Options) lanes(n int) {
	if n != 0 {
		o["lanes"] = strconv.Itoa(n)
	}
}

// given adds a parameter if it was given.
func given[T fmt.Stringer](o Options, key string, v unit.Optional[T]) {
	if q, is := v.Get(); is {
		o[key] = q.String()
	}
}

// notZero adds a parameter whose zero is its absence.
func notZero[T interface {
	fmt.Stringer
	comparable
}](o Options, key string, v T) {
	var zero T
	if v != zero {
		o[key] = v.String()
	}
}
