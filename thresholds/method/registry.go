package method

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Options are the parameters of a method as text. Their names are the keys of a topology's headroom mapping; the flags
// of the command line have - in place of _.
type Options map[string]string

// method is an entry of the registry: the names of its parameters, how it is made from them, and with which of them a
// sizer of it is made.
type method struct {
	keys func() []string
	make func(chip string, o *optionReader) thresholds.Sizer
	of   func(s thresholds.Sizer, chip string) Options
}

// methods are the methods that can be made from text. The table method is not
// among them, because it needs a file: see table.Read.
var methods = map[string]method{
	thresholds.IEEE{}.Method(): made(func(m *thresholds.IEEE) parameters {
		return parameters{plain("frame", thresholds.ParseMix, &m.Mix),
			plain("delays", thresholds.ParseDelaySum, &m.Delays.Sum),
			optional("interface_delay", unit.ParseTime, &m.Delays.EveryInterface),
			optional("response_delay", unit.ParseTime, &m.Delays.EveryResponse)}
	}, checkIEEE),
	SONiC{}.Method(): {sonicKeys, newSONiC, sonicOptions},
	BroadcomDelay{}.Method(): made(func(m *BroadcomDelay) parameters {
		return parameters{optional("user_delay", unit.ParseTime, &m.UserDelay),
			optional("switch_delay", unit.ParseTime, &m.SwitchDelay), optional("max_packet", unit.ParseBytes, &m.MaxPacket)}
	}),
	BroadcomTH3{}.Method(): made(func(m *BroadcomTH3) parameters {
		return parameters{plain("frame", thresholds.ParseMix, &m.Mix)}
	}),
	MLXSW{}.Method(): made(func(m *MLXSW) parameters {
		return parameters{optional("pfc_delay", unit.ParseBytes, &m.DelayBytes), plain("pause", parseBool, &m.Pause),
			plain("lanes", parseLanes, &m.Lanes)}
	}),
	MLX5{}.Method(): made(func(*MLX5) parameters { return nil }),
	Juniper{}.Method(): made(func(m *Juniper) parameters {
		return parameters{optional("mru", unit.ParseBytes, &m.MRU), plain("frame", thresholds.ParseMix, &m.Mix)}
	}),
	CiscoPractical{}.Method(): made(func(m *CiscoPractical) parameters {
		return parameters{optional("from", unit.ParseLength, &m.From),
			optional("buffer_size", unit.ParseBytes, &m.BufferSize),
			optional("pause_threshold", unit.ParseBytes, &m.PauseThreshold),
			optional("resume_threshold", unit.ParseBytes, &m.ResumeThreshold)}
	}),
}

// checkIEEE says that an interface delay belongs to the texts' sum alone.
func checkIEEE(m thresholds.IEEE, o *optionReader) {
	_, said := o.given["delays"]
	if sum := m.Delays.Sum; said && m.Delays.EveryInterface.IsGiven() && sum != thresholds.SumOfTexts &&
		sum != thresholds.LargerSum {
		o.bad.Addf("delays %v: it has no interface delays, and one is given (want delays: texts, or no interface_delay)", sum)
	}
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
	m, known := methods[name]
	if !known {
		return nil
	}
	return slices.Clone(m.keys())
}

// NewSizer makes a method from its name and parameters. The chip is the catalogue's name of the switch's chip; some
// methods have values for certain chips. It is empty if the chip is unknown. NewSizer returns all complaints at once,
// each with the parameter, the value and what is accepted.
func NewSizer(name, chip string, o Options) (thresholds.Sizer, error) {
	m, known := methods[name]
	if !known {
		return nil, fmt.Errorf("%q is not a method (want %s)", name, strings.Join(Methods(), ", "))
	}
	r, keys := &optionReader{given: o}, m.keys()
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(keys, key) {
			r.bad.Addf("%s is not a parameter of method %s (want %s)", key, name,
				cmp.Or(strings.Join(keys, ", "), "none"))
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

// parseLanes reads a number of lanes. A port has at least one.
func parseLanes(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		return 0, errors.New("want 1 or more")
	}
	return n, err
}

// parseBool reads true or false. The empty text means true: a flag without a value.
func parseBool(text string) (bool, error) {
	switch text {
	case "true", "":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("want true, false")
}

// parseSONiCKiB reads "3.8KiB", or bytes that are a whole number of hundredths of a KiB: "819.2B" is 0.8 KiB.
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
