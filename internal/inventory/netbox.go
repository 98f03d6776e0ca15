package inventory

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/unit"
)

// MaxRows is the number of rows of a list. Lists of a whole site have rows of all its switches.
const MaxRows = 1 << 20

// Port is what a list says of a port.
type Port struct {
	Name  string
	Rate  unit.BitRate               // 0: not said
	Cable unit.Optional[unit.Length] // not given: not said
	To    string                     // what is at the other end; empty: not said
	From  string                     // the list and the line
	Why   string                     // why the length of the cable is not that of the link; empty: it is
}

// List is what a source says of a switch.
type List struct {
	Cables bool // it is of cables: a port that is not in it has none
	Ports  []Port
	Left   []string // what was left out, and why
}

// The columns of NetBox's import of cables (dcim.CableImportForm), and of interfaces (dcim.InterfaceImportForm).
var (
	cableColumns     = []string{"side_a_device", "side_a_name", "side_b_device", "side_b_name"}
	interfaceColumns = []string{"device", "name", "type"}
)

// NetBox reads a list of cables or of interfaces, as NetBox imports them: the first line has the names of the columns.
// It returns the ports of the device in the order of the list. A port that the list has twice is refused.
func NetBox(name string, data []byte, device string) (*List, error) {
	t, err := open(name, data)
	if err != nil {
		return nil, err
	}
	t.device = device
	switch {
	case t.has(cableColumns):
		t.out.Cables = true
		err = t.each(t.cable)
	case t.has(interfaceColumns):
		err = t.each(t.iface)
	default:
		err = fmt.Errorf("%s:1: %s: want the columns %s of cables, or %s of interfaces", name,
			fielderr.Quote(strings.Join(t.row, ",")), strings.Join(cableColumns, ", "), strings.Join(interfaceColumns, ", "))
	}
	if err == nil && len(t.out.Ports) == 0 {
		err = fmt.Errorf("%s: no port of device %s (want its name in NetBox)", name, fielderr.Quote(device))
	}
	return &t.out, err
}

// Cable is a row of a list of cables.
type Cable struct {
	Line   int
	Ends   [2]CableEnd
	Length unit.Optional[unit.Length] // not given: not said
	Going  bool                       // it is being taken away
}

// CableEnd is what one end of a cable is plugged into.
type CableEnd struct {
	Device, Name string
	Kind         string // as NetBox names it, such as interface or frontport; empty: not said
}

// Joins tells whether the end is at an interface of a device.
func (e *CableEnd) Joins() bool { return e.Kind == "" || e.Kind == "interface" }

// Cables reads a list of cables, as NetBox imports them. wrong is what is wrong with the length of a cable. each ends
// the reading with an error.
func Cables(name string, data []byte, each func(c Cable, wrong error) error) error {
	t, err := open(name, data)
	if err != nil {
		return err
	}
	if !t.has(cableColumns) {
		return fmt.Errorf("%s:1: %s: want the columns %s", name, fielderr.Quote(strings.Join(t.row, ",")),
			strings.Join(cableColumns, ", "))
	}
	return t.each(func() error { return each(t.read()) })
}

// Rows reads a list of another tool: the first line has the names of its columns, which are asked for in lower case. A
// row can be shorter than it.
func Rows(name string, data []byte, each func(line int, field func(column string) string)) error {
	t, err := open(name, data)
	if err != nil {
		return err
	}
	t.csv.FieldsPerRecord = -1
	return t.each(func() error { each(t.line, t.field); return nil })
}

// open reads the names of the columns.
func open(name string, data []byte) (*table, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.TrimLeadingSpace, r.ReuseRecord = true, true
	head, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: no first line of CSV: %w", name, err)
	}
	t := &table{name: name, csv: r, row: head, at: map[string]int{}, ports: map[string]string{}}
	for i, column := range head {
		t.at[strings.ToLower(strings.TrimSpace(column))] = i
	}
	return t, nil
}

// has tells whether the list has columns.
func (t *table) has(columns []string) bool {
	return !slices.ContainsFunc(columns, func(c string) bool { _, is := t.at[c]; return !is })
}

// each reads the rows.
func (t *table) each(row func() error) (err error) {
	for n := 0; ; n++ {
		if t.row, err = t.csv.Read(); errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if t.line, _ = t.csv.FieldPos(0); n == MaxRows {
			return fmt.Errorf("%s:%d: more rows than are read (want at most %d)", t.name, t.line, MaxRows)
		}
		if err := row(); err != nil {
			return fmt.Errorf("%s:%d: %w", t.name, t.line, err)
		}
	}
}

// table is a list that is read.
type table struct {
	name, device string
	csv          *csv.Reader
	at           map[string]int
	row          []string
	line         int
	ports        map[string]string // where each was seen
	out          List
}

// field is the value of a column; empty where there is none.
func (t *table) field(column string) string {
	if i, is := t.at[column]; is && i < len(t.row) {
		return strings.TrimSpace(t.row[i])
	}
	return ""
}

func (t *table) where() string { return fmt.Sprintf("%s:%d", t.name, t.line) }

// add adds a port.
func (t *table) add(p Port) error {
	switch p.From = t.where(); {
	case p.Name == "":
		return errors.New("no name of the port (want one)")
	case t.ports[p.Name] != "":
		return fmt.Errorf("port %s again, after %s (want it once)", fielderr.Quote(p.Name), t.ports[p.Name])
	case len(t.out.Ports) == buffer.MaxPorts:
		return fmt.Errorf("more ports than a switch has (want at most %d)", buffer.MaxPorts)
	}
	t.ports[p.Name], t.out.Ports = p.From, append(t.out.Ports, p)
	return nil
}

// read reads a cable, and says what is wrong with its length.
func (t *table) read() (c Cable, wrong error) {
	c.Line, c.Going = t.line, t.field("status") == "decommissioning"
	for i, side := range [2]string{"side_a_", "side_b_"} {
		c.Ends[i] = CableEnd{t.field(side + "device"), t.field(side + "name"), strings.TrimPrefix(t.field(side+"type"), "dcim.")}
	}
	c.Length, wrong = cableLength(t.field("length"), t.field("length_unit"))
	return c, wrong
}

// cable reads a cable, which may have one end at the device, or both.
func (t *table) cable() error {
	c, wrong := t.read()
	for i := range c.Ends {
		near, far := &c.Ends[i], &c.Ends[1-i]
		switch {
		case near.Device != t.device:
			continue
		case !near.Joins():
			t.out.Left = append(t.out.Left, fmt.Sprintf("%s is a %s (%s)", near.Name, near.Kind, t.where()))
			continue
		case c.Going:
			t.out.Left = append(t.out.Left, fmt.Sprintf("%s: the cable goes (%s)", near.Name, t.where()))
			continue
		case wrong != nil:
			return wrong
		}
		p := Port{Name: near.Name, To: strings.TrimSpace(far.Device + " " + far.Name)}
		if far.Joins() {
			p.Cable = c.Length
		} else { // behind a patch panel the link goes on, by how much no list of cables says
			p.Why = "the cable ends at a " + far.Kind
		}
		if err := t.add(p); err != nil {
			return err
		}
	}
	return nil
}

// typeSpeed is the speed in NetBox's name of a type: 100gbase-x-qsfp28.
var typeSpeed = once.Pattern(`^(\d{1,4}(?:\.\d)?)gbase-`)

// iface reads an interface. What has no speed is no port of the panel: a group of ports, a VLAN, a loopback.
func (t *table) iface() error {
	if t.field("device") != t.device {
		return nil
	}
	p, kind := Port{Name: t.field("name")}, t.field("type")
	left := func(why string) error {
		t.out.Left = append(t.out.Left, fmt.Sprintf("%s: %s (%s)", p.Name, why, t.where()))
		return nil
	}
	if is := strings.ToLower(t.field("mgmt_only")); is == "true" || is == "1" || is == "yes" {
		return left("it is for management")
	}
	switch m := typeSpeed().FindStringSubmatch(kind); {
	case t.field("speed") != "": // in kilobits per second
		n, err := strconv.ParseInt(t.field("speed"), 10, 41)
		if err != nil || n <= 0 {
			return fmt.Errorf("speed %s: want kilobits per second", fielderr.Quote(t.field("speed")))
		}
		p.Rate = unit.BitRate(n) * 1000
	case m != nil:
		rate, err := unit.ParseBitRate(m[1] + "G")
		if err != nil {
			return fmt.Errorf("type %s: %w", fielderr.Quote(kind), err)
		}
		p.Rate = rate
	default:
		return left("type " + fielderr.Quote(kind) + " has no speed")
	}
	return t.add(p)
}

// units are NetBox's units of lengths (dcim.CableLengthUnitChoices), in nanometres.
var units = map[string]int64{"km": 1e12, "m": 1e9, "cm": 1e7, "mi": 1_609_344_000_000, "ft": 304_800_000, "in": 25_400_000}

// cableLength reads a length and its unit, rounded up to what a length holds; both empty: it is not said.
func cableLength(text, in string) (out unit.Optional[unit.Length], err error) {
	if text == "" && in == "" {
		return out, nil
	}
	nanometres, known := units[in]
	if !known {
		return out, fmt.Errorf("length_unit %s: want km, m, cm, mi, ft or in", fielderr.Quote(in))
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok || !decimal().MatchString(text) {
		return out, fmt.Errorf("length %s: want a number", fielderr.Quote(text))
	}
	n.Mul(n, big.NewRat(nanometres, 1e6)) // a unit.Length is a millimetre
	up := new(big.Int).Add(n.Num(), new(big.Int).Sub(n.Denom(), big.NewInt(1)))
	if up.Quo(up, n.Denom()); !up.IsInt64() || up.Int64() > int64(longest) {
		return out, fmt.Errorf("length %s %s: want at most %v", text, in, longest)
	}
	return unit.Given(unit.Length(up.Int64())), nil
}

// longest is the longest cable that is read.
const longest = 100_000 * unit.Kilometre

// decimal is a number without a sign and an exponent, of a bounded number of digits.
var decimal = once.Pattern(`^\d{1,12}(\.\d{1,12})?$`)
