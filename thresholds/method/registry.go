package method

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Options are the parameters of a method as text. Their names are the keys of a
// topology's headroom mapping; the flags of the command line have - in place of
// _.
type Options map[string]string

// method is an entry of the registry.
type method struct {
	keys []string
	make func(chip string, o *optionReader) thresholds.Sizer
}

// methods are the methods that can be made from text. The table method is not
// among them, because it needs a file: see table.Read.
var methods = map[string]method{
	thresholds.IEEE{}.Method(): {[]string{"frame", "delays", "interface_delay", "response_delay"},
		newIEEE},
	SONiC{}.Method(): {[]string{"cell", "pipeline_latency", "mac_phy_delay", "peer_response", "gearbox_delay",
		"lanes", "small_packets", "shared_headroom",
		"variant", "corrected"}, newSONiC},
	BroadcomDelay{}.Method(): {[]string{"user_delay", "switch_delay", "max_packet"},
		func(_ string, o *optionReader) thresholds.Sizer {
			return BroadcomDelay{optional(o, "user_delay", unit.ParseTime), optional(o, "switch_delay", unit.ParseTime),
				optional(o, "max_packet", unit.ParseBytes)}
		}},
	BroadcomTH3{}.Method(): {[]string{"frame"}, func(_ string, o *optionReader) thresholds.Sizer {
		return BroadcomTH3{Mix: option(o, "frame", thresholds.ParseMix)}
	}},
	MLXSW{}.Method(): {[]string{"pfc_delay", "pause", "lanes"}, func(_ string, o *optionReader) thresholds.Sizer {
		return MLXSW{DelayBytes: optional(o, "pfc_delay", unit.ParseBytes), Pause: option(o, "pause", parseBool),
			Lanes: option(o, "lanes", parseLanes)}
	}},
	MLX5{}.Method(): {nil, func(string, *optionReader) thresholds.Sizer { return MLX5{} }},
	Juniper{}.Method(): {[]string{"mru", "frame"}, func(_ string, o *optionReader) thresholds.Sizer {
		return Juniper{MRU: optional(o, "mru", unit.ParseBytes), Mix: option(o, "frame", thresholds.ParseMix)}
	}},
	CiscoPractical{}.Method(): {[]string{"from", "buffer_size", "pause_threshold", "resume_threshold"},
		func(_ string, o *optionReader) thresholds.Sizer {
			return CiscoPractical{optional(o, "from", unit.ParseLength), optional(o, "buffer_size", unit.ParseBytes),
				optional(o, "pause_threshold", unit.ParseBytes), optional(o, "resume_threshold", unit.ParseBytes)}
		}},
}

// newIEEE reads the standard's method. An interface delay belongs to the texts' sum alone.
func newIEEE(_ string, o *optionReader) thresholds.Sizer {
	m := thresholds.IEEE{Mix: option(o, "frame", thresholds.ParseMix), Delays: thresholds.Delays{
		Sum:            option(o, "delays", thresholds.ParseDelaySum),
		EveryInterface: optional(o, "interface_delay", unit.ParseTime),
		EveryResponse:  optional(o, "response_delay", unit.ParseTime)}}
	_, said := o.given["delays"]
	if sum := m.Delays.Sum; said && m.Delays.EveryInterface.IsGiven() && sum != thresholds.SumOfTexts &&
		sum != thresholds.LargerSum {
		o.bad.Addf("delays %v: it has no interface delays, and one is given (want delays: texts, or no interface_delay)", sum)
	}
	return m
}

// names are the names of all methods, sorted.
var names = once.Value(func() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(methods)), (&table.Table{}).Method())))
})

// Methods lists the names of all methods, including "table", sorted.
func Methods() []string { return slices.Clone(names()) }

// MethodOptions lists the parameters of a method.
func MethodOptions(name string) []string {
	if name == (&table.Table{}).Method() {
		return []string{"table"}
	}
	return slices.Clone(methods[name].keys)
}

// NewSizer makes a method from its name and parameters. The chip is the
// catalogue's name of the switch's chip; some methods have values for certain
// chips. It is empty if the chip is unknown. NewSizer returns all complaints at
// once, each with the parameter, the value and what is accepted.
func NewSizer(name, chip string, o Options) (thresholds.Sizer, error) {
	m, known := methods[name]
	if !known {
		return nil, fmt.Errorf("%q is not a method (want %s)", name, strings.Join(Methods(), ", "))
	}
	r := &optionReader{given: o}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(m.keys, key) {
			r.bad.Addf("%s is not a parameter of method %s (want %s)", key, name, acceptedKeys(m.keys))
		}
	}
	s := m.make(chip, r)
	if v, ok := s.(interface{ Validate() error }); ok && len(r.bad) == 0 {
		r.bad.Join(v.Validate())
	}
	if err := r.bad.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// acceptedKeys lists the parameters of a method, for messages.
func acceptedKeys(keys []string) string {
	if len(keys) == 0 {
		return "none"
	}
	return strings.Join(keys, ", ")
}

// optionReader reads parameters and collects complaints.
type optionReader struct {
	given Options
	bad   fielderr.List
}

// option returns the value of a parameter; the zero value if it is not given.
func option[T any](o *optionReader, key string, parse func(string) (T, error)) T {
	var zero T
	text, given := o.given[key]
	if !given {
		return zero
	}
	v, err := parse(text)
	switch {
	case err == nil:
		return v
	case fielderr.Quotes(err, text):
		o.bad.Join(fmt.Errorf("%s: %w", key, err))
	default:
		o.bad.Join(fmt.Errorf("%s %q: %w", key, text, err))
	}
	return zero
}

// optional is option for a parameter whose zero is a value: absent if it is not given.
func optional[T any](o *optionReader, key string, parse func(string) (T, error)) unit.Optional[T] {
	if _, given := o.given[key]; !given {
		return unit.Optional[T]{}
	}
	return unit.Given(option(o, key, parse))
}

// parseLanes reads a number of lanes. A port has at least one.
func parseLanes(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		return 0, errors.New("want 1 or more")
	}
	return n, err
}

// parseBool reads true or false. The empty text means true: a flag without a
// value.
func parseBool(text string) (bool, error) {
	switch text {
	case "true", "":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("want true, false")
}

// newSONiC starts with the values that SONiC has for the chip, and replaces
// those that are given. For a chip that SONiC does not know, all values must be
// given.
func newSONiC(name string, o *optionReader) thresholds.Sizer {
	chip, known := LookupSONiCChip(name)
	if !known {
		chip.Name = name
		for _, key := range []string{"cell", "pipeline_latency", "mac_phy_delay", "peer_response"} {
			if _, given := o.given[key]; !given {
				o.bad.Add("", fmt.Sprintf("chip %q: SONiC has no numbers for it", name),
					sonicChipNames()+", or cell, pipeline_latency, mac_phy_delay and peer_response of its own")
				return SONiC{}
			}
		}
		chip.Source = "given by the operator"
	}
	replace(o, "cell", unit.ParseBytes, func(b unit.Bytes) { chip.Cell = cells.Size(b) })
	replace(o, "pipeline_latency", parseSONiCKiB, func(k SONiCKiB) { chip.PipelineLatency = k })
	replace(o, "mac_phy_delay", parseSONiCKiB, func(k SONiCKiB) { chip.MACPHY = k })
	replace(o, "peer_response", parseSONiCKiB, func(k SONiCKiB) { chip.PeerResponse = k })
	corrected := option(o, "corrected", parseBool)
	_, said := o.given["corrected"]
	_, constant := o.given["peer_response"]
	return SONiC{Chip: chip, Gearbox: option(o, "gearbox_delay", unit.ParseTime),
		Lanes:          option(o, "lanes", parseLanes),
		SmallPackets:   optional(o, "small_packets", unit.ParsePercent),
		SharedHeadroom: option(o, "shared_headroom", parseBool),
		Variant:        option(o, "variant", ParseSONiCVariant), Corrected: corrected,
		// With "corrected: false", or with the constant given, the constant is used.
		Exact: !corrected && (said || constant)}
}

// replace sets a value if the parameter is given.
func replace[T any](o *optionReader, key string, parse func(string) (T, error), set func(T)) {
	if _, given := o.given[key]; given {
		set(option(o, key, parse))
	}
}

// parseSONiCKiB reads "3.8KiB", or bytes that are a whole number of hundredths
// of a KiB: "819.2B" is 0.8 KiB.
func parseSONiCKiB(text string) (SONiCKiB, error) {
	number, kib := strings.CutSuffix(text, "KiB")
	number, inBytes := strings.CutSuffix(number, "B")
	whole, tail, _ := strings.Cut(number, ".")
	n, err := strconv.ParseUint(whole+(tail + "00")[:max(2, len(tail))], 10, 40)
	wrong := fmt.Errorf("%q is no amount in hundredths of a KiB (want such as 3.8KiB or 819.2B)", text)
	switch {
	case err != nil || kib == inBytes || len(tail) > 2 || whole == "":
		return 0, wrong
	case inBytes && n%1024 != 0: // n is in hundredths of a byte
		return 0, wrong
	case inBytes:
		return SONiCKiB(n / 1024), nil
	}
	return SONiCKiB(n), nil
}
