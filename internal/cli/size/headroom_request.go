package size

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// request is one question to the headroom command: text by key. The keys are
// the flags' names with _ in place of -. A batch has many requests. A key that is not in the map was not given; an
// empty text is a value that its parser refuses.
type request struct {
	text  map[string]string
	flags bool // it came as flags, so complaints name flags
	open  topology.Open
	read  *filesRead // what the requests of a batch have in common
}

// filesRead are the files that requests name, each read once: a batch may have
// thousands of lines with one chip file.
type filesRead struct {
	chips  map[string]func() (buffer.Chip, error)
	tables map[string]func() (*table.Table, error)
}

// once returns what is known of a name, and loads it the first time. An error is kept as well: a file that is not there
// is looked for once.
func once[T any](known map[string]func() (T, error), name string, load func() (T, error)) (T, error) {
	if known[name] == nil {
		known[name] = sync.OnceValues(load)
	}
	return known[name]()
}

// chip finds a chip by name or file.
func (q request) chip(name string) (buffer.Chip, error) {
	return once(q.read.chips, name, func() (buffer.Chip, error) { return inputs.LoadChip(q.open, name) })
}

// name is the name of a key in complaints.
func (q request) name(key string) string {
	if q.flags {
		return "--" + flagOf(key)
	}
	return key
}

// requestKey is a key of a request, and the flag with this name. standard is the default as text; "" is none, and the
// key is then not in the request.
type requestKey struct {
	name, standard, help string
	boolean              bool
	credits              bool // of credits beside PFC, or of replay buffers: no line of a batch has it
}

// flag returns the flag's name.
func (k requestKey) flag() string { return flagOf(k.name) }

// flagOf returns the flag of a key. The table of a vendor is the only key of another name, because --table chooses what
// is printed.
func flagOf(key string) string {
	if key == "table" {
		return cli.HeadroomTable
	}
	return strings.ReplaceAll(key, "_", "-")
}

// requestKeys are all keys, in the order of the flags.
var requestKeys = []requestKey{
	{name: "method", standard: thresholds.IEEE{}.Method(), help: "sizing method: " +
		strings.Join(method.Methods(), ", ")},
	{name: "speed", help: "speed of the port, such as 100G"},
	{name: "cable", help: "length of the cable, such as 300m"},
	{name: "medium", help: "medium of the cable: fibre (default), copper, single-mode, fibre-nvidia"},
	{name: "delay", help: "measured one-way delay, in place of the cable's, such as 1.5us"},
	{name: "round_trip", help: "measured time there and back, in place of the cable's, such as 3.05us; needs " +
		"uncertainty, measured_by and measured_on"},
	{name: "uncertainty", help: "by how much the true round trip may be longer; it is counted"},
	{name: "measured_by", help: "who or what measured the round trip, such as \"ptp4l on leaf1\""},
	{name: "measured_on", help: "the day of the measurement, such as 2026-11-22"},
	{name: "extra_delay", help: "one-way delay in addition to the cable's, of FEC, a gearbox or a retimer, such " +
		"as 1.5us"},
	{name: "macsec", help: "the link has MACsec of unknown delay: add 1us each way, the limit of SONiC's MACsec design",
		boolean: true},
	{name: "response_delay", help: "response time of the sender, in place of the value for its speed"},
	{name: "mtu", standard: "9216B", help: "longest frame of any class on the port"},
	{name: "lossless_mtu", help: "longest frame of the lossless class (default: the port's MTU)"},
	{name: "chip", help: "chip whose cell size, overhead and parameters of the method are used: a name or a " +
		"chip file"},
	{name: "cell", help: "size of a cell, such as 416B, in place of the chip's"},
	{name: "overhead", help: "bytes that the chip stores with each packet, in place of the chip's"},
	{name: "frame", help: "frames that fill the headroom: worst (the worst mixture), 64B-and-more, 64B, " +
		"64B:50%,1500B:50%; with -without-gap as vendors count (default of ieee802.1qbb and juniper: worst)"},
	{name: "table", help: "headroom table of the switch (pg_profile_lookup.ini)"},
	{name: "delays", help: "delays of both ends: both-ends (default), texts, larger, nvidia, nvidia-quanta"},
	{name: "interface_delay", help: "delay of an interface, transmit and receive, in place of the value of the texts"},
	{name: "pipeline_latency", help: "latency of the pipeline, such as 19KiB"},
	{name: "mac_phy_delay", help: "delay of MAC and PHY, such as 819.2B"},
	{name: "peer_response", help: "response of the peer at a speed without a known value, such as 3.8KiB"},
	{name: "gearbox_delay", help: "delay of a gearbox, such as 400ns"},
	{name: "lanes", help: "lanes of the port, such as 8"},
	{name: "small_packets", help: "share of small packets, such as 50%"},
	{name: "shared_headroom", help: "the headroom is a shared pool", boolean: true},
	{name: "variant", help: "variant of the formula of sonic-dynamic"},
	{name: "corrected", help: "correct the known errors of the formula; false: none of them, not even at a speed " +
		"that the formula does not have", boolean: true},
	{name: "user_delay", help: "delay of the link, both ways"},
	{name: "switch_delay", help: "delay of the switch"},
	{name: "max_packet", help: "longest packet of the switch"},
	{name: "pfc_delay", help: "delay that the operator configures in the kernel, in bytes"},
	{name: "pause", help: "global PAUSE in place of PFC", boolean: true},
	{name: "mru", help: "longest frame that the port receives"},
	{name: "from", help: "length of cable for which the thresholds are known"},
	{name: "buffer_size", help: "known buffer-size"},
	{name: "pause_threshold", help: "known pause-threshold"},
	{name: "resume_threshold", help: "known resume-threshold"},
	{name: "credit_size", help: "with --with: bytes of a credit (default: the cell)", credits: true},
	{name: "credit_overhead", help: "with --with: bytes added to each packet before it is counted, -16B to 127B " +
		"(default: what the chip stores with it)", credits: true},
	{name: "cf_spacing", help: "with --with: least bytes between two CF_Updates (default: 6400B)", credits: true},
	{name: "stay", help: "with --with: time that a frame stays in the receiver's buffer (default: its own time on the " +
		"link)", credits: true},
	{name: "reverse_frame", help: "with --with or --llr: longest frame of the other direction, which a CF_Update or an " +
		"acknowledgement waits for; 0B: idle (default: the MTU)", credits: true},
	{name: "channels", help: "with --with: virtual channels whose CF_Updates take turns (default: 1)", credits: true},
}

// parseTruth reads a truth value as a flag has it. The empty text is what a flag without a value gives.
func parseTruth(text string) (bool, error) {
	switch text {
	case "true", "":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%q (want true, false)", text)
}

// linkKeys are the keys that do not belong to a method. They describe the link, the memory and the table, and are read
// here.
var linkKeys = []string{"method", "speed", "cable", "medium", "delay", "round_trip", "uncertainty",
	"measured_by", "measured_on", "extra_delay", "macsec",
	"response_delay", "mtu", "lossless_mtu", "chip",
	"cell", "overhead", "table"}

// requestOf returns the flags that were given, and those with a default. Flags with a default are in the request
// although nobody gave them, so that a line of a batch can rely on them.
func requestOf(cmd *cobra.Command) request {
	// One command has one set of files that were read, however many lines its batch has.
	read := &filesRead{map[string]func() (buffer.Chip, error){}, map[string]func() (*table.Table, error){}}
	q := request{map[string]string{}, true, cli.Named(cmd), read}
	for _, k := range requestKeys {
		f := cmd.Flags().Lookup(k.flag())
		if f.Changed || k.standard != "" {
			q.text[k.name] = f.Value.String()
		}
	}
	return q
}

// has tells whether one of the keys is given.
func (q request) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, given := q.text[k]; return given })
}

// options returns the parameters of the method. If lenient, those of other
// methods are left out; otherwise they are included, and the method refuses
// them. The texts go to the method as they are, which reads them with the complaints of a topology.
func (q request) options(lenient bool) method.Options {
	o := method.Options{}
	// An unknown method has no options; NewSizer refuses its name.
	own := method.MethodOptions(q.text["method"])
	// Strict for one method, so that a flag without an effect is refused; lenient for --compare, where each flag
	// belongs to some of the methods.
	for k, v := range q.text {
		if k == "response_delay" {
			continue // it is the link's, which comes before the method's
		}
		if slices.Contains(own, k) || !lenient && !slices.Contains(linkKeys, k) {
			o[k] = v
		}
	}
	return o
}

// job is a request with its quantities. It has no chip: the memory has its cells, and the sizer what it needs to know
// of it.
type job struct {
	link   thresholds.Link
	memory thresholds.Memory
	sizer  thresholds.Sizer
}

// String describes in one line what is sized. Everything that the numbers depend on is in it, so that a line which is
// copied without its question still says it.
func (j job) String() string {
	// A measured delay stands in place of the length, as it does in the computation.
	over := fmt.Sprintf("%v of %v", j.link.Cable, j.link.Medium)
	if measured, ok := j.link.Delay.Get(); ok {
		over = fmt.Sprintf("%v measured", measured)
	}
	if m := j.link.Measured; m.IsGiven() {
		over += fmt.Sprintf(": half of %v", m)
	}
	if j.link.Extra > 0 {
		over += fmt.Sprintf(" + %v", j.link.Extra)
	}
	if j.link.MACsec {
		over += " + MACsec"
	}
	if t, given := j.link.Response.Get(); given {
		over += fmt.Sprintf(", peer %v", t)
	}
	return fmt.Sprintf("%v over %s, MTU %v, lossless MTU %v, cells of %s, %v stored with each packet",
		j.link.Rate, over, j.link.MTU, j.link.LosslessMTU, cli.Plural(int(j.memory.Cell), "byte", "bytes"), j.memory.Overhead)
}

// explain converts a request, with all complaints at once, and sizes its link. The three parts of the job are made also
// if one of them has a complaint, to find those of the others.
func (q request) explain() (j job, e thresholds.Explanation, err error) {
	var bad []error
	j = job{link: q.link(&bad), memory: q.memory(&bad)}
	j.sizer, err = q.sizer(false)
	if err = errors.Join(append(bad, err)...); err == nil {
		e, err = j.sizer.Explain(j.link, j.memory)
	}
	return j, e, err
}

// quantityOf converts the text of a key; the zero value if it is not given. The text is quoted anew in the error, cut
// and made printable, since a line of a batch is not the user's own.
func quantityOf[T any](q request, bad *[]error, key string, parse func(string) (T, error)) T {
	var zero T
	// A key that was not given leaves the zero of the type, whose meaning the link or the method states.
	text, given := q.text[key]
	if !given {
		return zero
	}
	v, err := parse(text)
	if err != nil {
		*bad = append(*bad, fmt.Errorf("%s: %s", q.name(key), fielderr.Requote(err, text)))
		return zero
	}
	return v
}

// optionalOf is quantityOf for a key whose zero is a value of its own. The result
// is absent if the key is not given.
func optionalOf[T any](q request, bad *[]error, key string, parse func(string) (T, error)) unit.Optional[T] {
	if !q.has(key) {
		return unit.Optional[T]{}
	}
	return unit.Given(quantityOf(q, bad, key, parse))
}

// link returns the link. The lossless MTU is the port's unless it is given. A length or a measured delay is needed, and
// a speed: nothing is usual for either.
func (q request) link(bad *[]error) thresholds.Link {
	l := thresholds.Link{
		Rate:        quantityOf(q, bad, "speed", unit.ParseBitRate),
		Cable:       quantityOf(q, bad, "cable", unit.ParseLength),
		Medium:      quantityOf(q, bad, "medium", thresholds.ParseMedium),
		Delay:       optionalOf(q, bad, "delay", unit.ParseTime),
		Extra:       quantityOf(q, bad, "extra_delay", unit.ParseTime),
		MACsec:      quantityOf(q, bad, "macsec", parseTruth),
		Response:    optionalOf(q, bad, "response_delay", unit.ParseTime),
		MTU:         quantityOf(q, bad, "mtu", unit.ParseBytes),
		LosslessMTU: quantityOf(q, bad, "lossless_mtu", unit.ParseBytes),
	}
	q.measured(&l, bad)
	// The safe side: the frame that the sender completes is then as long as any.
	if _, given := q.text["lossless_mtu"]; !given {
		l.LosslessMTU = l.MTU
	}
	for _, need := range [][]string{{"speed"}, {"cable", "delay", "round_trip"}} {
		if !q.has(need...) {
			for i, key := range need {
				need[i] = q.name(key)
			}
			*bad = append(*bad, fmt.Errorf("%s: needed", strings.Join(need, " or ")))
		}
	}
	return l
}

// measured gives a link its measured round trip. The length of the cable may be given too: they are compared. Half of
// the round trip is the delay, and the uncertainty is added to it by the method.
func (q request) measured(l *thresholds.Link, bad *[]error) {
	// The four belong together: a measurement without its uncertainty, source and day cannot be weighed later.
	if !q.has("round_trip", "uncertainty", "measured_by", "measured_on") {
		return
	}
	if q.has("delay") {
		*bad = append(*bad, fmt.Errorf("%s and %s (want one of them)", q.name("delay"), q.name("round_trip")))
	}
	for _, key := range []string{"round_trip", "uncertainty", "measured_by", "measured_on"} {
		if !q.has(key) {
			*bad = append(*bad, fmt.Errorf("%s: needed by a measured round trip", q.name(key)))
			return
		}
	}
	l.Measured = thresholds.Measurement{RoundTrip: quantityOf(q, bad, "round_trip", unit.ParseTime),
		Uncertainty: quantityOf(q, bad, "uncertainty", unit.ParseTime), Source: q.text["measured_by"],
		Date: q.text["measured_on"]}
	// The length may stand beside it, to be compared with it.
	l.Delay = unit.Given(l.Measured.OneWay())
	// Shorter than light in vacuum over the length: one of the two is wrong, and nothing tells which.
	if impossible, _ := l.Measured.Against(l.Cable, l.Medium); impossible != "" {
		*bad = append(*bad, fmt.Errorf("%s: %s", q.name("round_trip"), impossible))
	}
}

// memory returns the cells: those of --cell, or of the chip. A chip without a known cell needs --cell, which a chip
// file would have.
func (q request) memory(bad *[]error) thresholds.Memory {
	var m thresholds.Memory
	chip, given := q.text["chip"]
	switch {
	case given:
		// The memory of a chip is its cell and what it stores with each packet, both in bytes.
		own, err := q.chipMemory(chip, q.has("cell"))
		if err != nil {
			*bad = append(*bad, err)
		}
		m = own
	case !q.has("cell"):
		*bad = append(*bad, fmt.Errorf("%s or %s: needed for the size of a cell", q.name("cell"), q.name("chip")))
	}
	// A flag wins over the chip, number by number.
	m.Cell = optionalOf(q, bad, "cell", parseCell).Or(m.Cell)
	m.Overhead = optionalOf(q, bad, "overhead", unit.ParseBytes).Or(m.Overhead)
	return m
}

// parseCell reads the size of a cell.
func parseCell(text string) (cells.Size, error) {
	b, err := unit.ParseBytes(text)
	return cells.Size(b), err
}

// chipMemory returns the cells of a chip: one of the catalogue, a chip file, or
// a chip that only SONiC's formula knows. The size of its cells may be unknown if the
// request has it. The first error is returned: that the catalogue does not have the chip says more than that SONiC does
// not.
func (q request) chipMemory(name string, cell bool) (thresholds.Memory, error) {
	chip, err := q.chip(name)
	if err == nil && !cell {
		err = inputs.HasCells(&chip)
	}
	if err == nil {
		return chip.Memory(), nil
	}
	// SONiC has chips that the catalogue does not have. Of these the cell is known, and nothing that is stored with a
	// packet.
	if c, known := method.LookupSONiCChip(name); known {
		return thresholds.Memory{Cell: c.Cell}, nil
	}
	return thresholds.Memory{}, err
}

// sizer returns the method. The table is read here and not by the registry of methods, which opens no files. lenient
// leaves out the options of other methods; otherwise they are passed on, and the method refuses them.
func (q request) sizer(lenient bool) (thresholds.Sizer, error) {
	if q.text["method"] == (&table.Table{}).Method() {
		return q.table()
	}
	return method.NewSizer(q.text["method"], q.text["chip"], q.options(lenient))
}

// table reads the table of method table. The error of a flag shows the line that is wrong; that of a batch does not.
func (q request) table() (thresholds.Sizer, error) {
	name := q.text["table"]
	t, err := once(q.read.tables, name, func() (*table.Table, error) {
		data, err := q.open(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name("table"), err)
		}
		t, err := table.Read(name, bytes.NewReader(data))
		// A line of a batch may come from someone else: the message names the file and shows nothing of its content.
		if errors.Is(err, table.ErrNoTable) && !q.flags {
			err = fmt.Errorf("%s: %s: %w", q.name("table"), fielderr.Quote(name), table.ErrNoTable)
		}
		return t, err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}
