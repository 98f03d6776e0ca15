package method

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// OptionsOf returns the parameters with which NewSizer makes a method for a chip: the inverse of NewSizer. The error
// says that no parameters make it, as of a method with delays of its own for some speeds, or of a table, which is a
// file.
func OptionsOf(s thresholds.Sizer, chip string) (Options, error) {
	o := Options{}
	if m, known := methods[s.Method()]; known {
		o = m.of(s, chip)
	}
	again, err := NewSizer(s.Method(), chip, o)
	if err != nil || !reflect.DeepEqual(again, s) {
		return nil, fmt.Errorf("method %s: no parameters give this sizer; with %v it is another one", s.Method(),
			slices.Sorted(maps.Keys(o)))
	}
	return o, nil
}

// sonicOptions are what differs from SONiC's own values for the chip.
func sonicOptions(s thresholds.Sizer, chip string) Options {
	m, _ := s.(SONiC)
	o := m.parameters().options()
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
	_, constant := o["peer_response"]
	switch {
	case m.Corrected:
		o["corrected"] = "true"
	case m.Exact && !constant:
		o["corrected"] = "false"
	}
	return o
}
