package buffer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// This file writes an intent as JSON and reads it again, for a program that keeps it between two of its runs. People
// write topologies, which package topology reads.

// intentSchema names the form of an intent as JSON.
const intentSchema = "cellwarden.intent/v1"

// maxIntentBytes is the longest JSON of an intent that is read.
const maxIntentBytes = 16 << 20

// ErrNoJSON says that JSON cannot express an intent: a Sizer of the caller's own, parameters of a method that only Go
// can say, a value of another kind.
var ErrNoJSON = errors.New("JSON does not express this intent")

// The forms of JSON. Rates, lengths and times are texts with their unit, as in a topology; bytes are numbers.
type (
	intentJSON struct {
		Schema      string            `json:"schema"`
		Chip        Chip              `json:"chip"`
		Headroom    *sizingJSON       `json:"headroom"` // null: none
		Pool        poolJSON          `json:"pool"`
		SharedFloor unit.Percent      `json:"shared_floor"`
		EgressPools []egressPoolJSON  `json:"egress_pools"`
		Classes     []intentClassJSON `json:"classes"`
		DSCP        map[int][]int     `json:"dscp,omitempty"` // of each priority
		Trust       string            `json:"trust,omitempty"`
		ETS         []groupJSON       `json:"ets,omitzero"` // of both levels the first
		Ports       []intentPortJSON  `json:"ports"`
	}
	sizingJSON struct {
		Method  string         `json:"method"`
		Options method.Options `json:"options,omitempty"`
		Table   *tableJSON     `json:"table,omitempty"` // of the method "table"
	}
	tableJSON struct {
		Name string    `json:"name"`
		Rows []rowJSON `json:"rows"`
	}
	rowJSON struct {
		Speed     unit.BitRate     `json:"speed"`
		Cable     unit.Length      `json:"cable"`
		Size      unit.Bytes       `json:"size_bytes"`
		XON       unit.Bytes       `json:"xon_bytes"`
		XOFF      unit.Bytes       `json:"xoff_bytes"`
		DynamicTh thresholds.Alpha `json:"dynamic_th"`
		XONOffset *unit.Bytes      `json:"xon_offset_bytes,omitempty"`
		Line      int              `json:"line"`
	}
	poolJSON struct {
		Size                 unit.Bytes `json:"size_bytes"`
		SharedHeadroom       unit.Bytes `json:"shared_headroom_bytes"`
		SharedHeadroomRatio  int        `json:"shared_headroom_ratio"`
		SizeIncludesHeadroom bool       `json:"size_includes_headroom"`
		SizeIncludesReserved bool       `json:"size_includes_reserved"`
	}
	egressPoolJSON struct {
		Name string      `json:"name"`
		Size *unit.Bytes `json:"size_bytes,omitempty"` // left out: not known
	}
	intentClassJSON struct {
		Name           string            `json:"name"`
		Priorities     []int             `json:"priorities"`
		Lossless       bool              `json:"lossless"`
		Credits        bool              `json:"credits,omitempty"`
		Channels       []channelJSON     `json:"channels,omitempty"`
		Group          *int              `json:"group,omitempty"`
		Reserved       *unit.Bytes       `json:"reserved_bytes,omitempty"`
		DynamicTh      *thresholds.Alpha `json:"dynamic_th,omitempty"`
		StaticLimit    unit.Bytes        `json:"static_limit_bytes,omitempty"`
		MTU            unit.Bytes        `json:"mtu_bytes,omitempty"`
		XONOffset      *unit.Bytes       `json:"xon_offset_bytes,omitempty"`
		ECN            *ecnJSON          `json:"ecn,omitempty"`
		QueueReserved  unit.Bytes        `json:"queue_reserved_bytes,omitempty"`
		EgressPool     string            `json:"egress_pool,omitempty"`
		QueueDynamicTh *thresholds.Alpha `json:"queue_dynamic_th,omitempty"`
		QueueLimit     unit.Bytes        `json:"queue_limit_bytes,omitempty"`
		Weight         int               `json:"weight,omitempty"`
		Strict         bool              `json:"strict,omitempty"`
		ETS            *int              `json:"ets_group,omitempty"`
	}
	channelJSON struct { // which virtual channel a traffic class is in
		Traffic int `json:"traffic_class"`
		Channel int `json:"channel"`
	}
	groupJSON struct {
		Number    int          `json:"number"`
		Name      string       `json:"name,omitempty"`
		Selection string       `json:"tsa"`
		Bandwidth int          `json:"bandwidth_percent,omitempty"`
		IdleSlope unit.BitRate `json:"idle_slope,omitzero"`
	}
	ecnJSON struct {
		KMin unit.Bytes   `json:"kmin_bytes"`
		KMax unit.Bytes   `json:"kmax_bytes"`
		PMax unit.Percent `json:"pmax"`
	}
	measurementJSON struct {
		RoundTrip   unit.Time `json:"round_trip"`
		Uncertainty unit.Time `json:"uncertainty"`
		Source      string    `json:"source"`
		Date        string    `json:"date"`
	}
	intentPortJSON struct {
		Name   string       `json:"name"`
		Speed  unit.BitRate `json:"speed"`
		Cable  unit.Length  `json:"cable"`
		Medium string       `json:"medium"`
		Delay  *unit.Time   `json:"delay,omitempty"`
		// How the delay was measured.
		Measured *measurementJSON `json:"measured_delay,omitempty"`
		Extra    unit.Time        `json:"extra_delay,omitzero"`
		MACsec   bool             `json:"macsec,omitempty"`
		MTU      unit.Bytes       `json:"mtu_bytes"`
		Pipe     *int             `json:"pipe,omitempty"`
		Response *unit.Time       `json:"response_delay,omitempty"`
		Reserved unit.Bytes       `json:"reserved_bytes,omitempty"`
		Credits  bool             `json:"credits,omitempty"`
		Shared   unit.Bytes       `json:"shared_credits_bytes,omitempty"`
		Classes  ClassSet         `json:"classes_bits,omitempty"` // bit i: the i-th class; 0: all
		State    string           `json:"state"`
	}
)

// MarshalJSON writes the intent. The headroom method is given by its name and its parameters, a headroom table by its
// rows. UnmarshalJSON gives the same intent again: that is checked, and an intent for which it is not so is an error
// that wraps [ErrNoJSON].
func (in Intent) MarshalJSON() ([]byte, error) {
	out := intentJSON{Schema: intentSchema, Chip: in.Chip, SharedFloor: in.SharedFloor, Pool: poolJSON(in.Pool)}
	var err error
	if out.Headroom, err = sizingOf(in.Sizing, in.Chip.Name); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoJSON, err)
	}
	out.EgressPools = each(in.EgressPools, egressPoolJSONOf)
	out.Classes, out.Ports = each(in.Classes, classJSONOf), each(in.Ports, portJSONOf)
	out.ETS = each(in.ETS, groupJSONOf)
	for p, points := range in.DSCP {
		if points != 0 {
			if out.DSCP == nil {
				out.DSCP = map[int][]int{}
			}
			out.DSCP[p] = points.List()
		}
	}
	if in.Trust > pg.TrustDSCP {
		return nil, fmt.Errorf("%w: trust %d", ErrNoJSON, in.Trust)
	} else if in.Trust != pg.TrustUnknown {
		out.Trust = in.Trust.String()
	}
	text, err := json.Marshal(&out)
	if err != nil {
		return nil, err
	}
	var again Intent
	if err := again.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoJSON, err)
	}
	if what := in.differs(&again); what != "" {
		return nil, fmt.Errorf("%w: %s is another one when it is read", ErrNoJSON, what)
	}
	return text, nil
}

// differs names a field in which another intent differs; "": none. Lists of a chip may be empty or absent: its JSON
// does not tell.
func (in *Intent) differs(other *Intent) string {
	a, b := *in, *other
	x, err1 := json.Marshal(a.Chip)
	y, err2 := json.Marshal(b.Chip)
	if err1 != nil || err2 != nil || !bytes.Equal(x, y) {
		return "Chip"
	}
	b.Chip = a.Chip
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range v.NumField() {
		if !reflect.DeepEqual(v.Field(i).Interface(), w.Field(i).Interface()) {
			return v.Type().Field(i).Name
		}
	}
	return ""
}

// UnmarshalJSON reads what MarshalJSON writes. It refuses keys that it does not know, and values that are none of their
// kind. Whether the intent can be planned is for [Intent.Validate].
func (in *Intent) UnmarshalJSON(data []byte) error {
	if len(data) > maxIntentBytes {
		return fmt.Errorf("%d bytes: want at most %d", len(data), maxIntentBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var from intentJSON
	if err := decoder.Decode(&from); err != nil {
		return fmt.Errorf("an intent as JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("an intent as JSON: more than one value")
	}
	if from.Schema != intentSchema {
		return fmt.Errorf("schema %q: want %s", from.Schema, intentSchema)
	}
	if len(from.Ports) > MaxPorts {
		return fmt.Errorf("%d ports: want at most %d", len(from.Ports), MaxPorts)
	}
	out := Intent{Chip: from.Chip, SharedFloor: from.SharedFloor, Pool: Pool(from.Pool)}
	var err error
	if out.Sizing, err = from.Headroom.sizer(from.Chip.Name); err != nil {
		return err
	}
	for i, p := range from.EgressPools {
		pool := EgressPool{Name: p.Name}
		if p.Size != nil {
			if pool.Size = *p.Size; pool.Size == 0 {
				return fmt.Errorf("egress_pools[%d].size_bytes: 0: want 1 or more; left out where it is not known", i)
			}
		}
		out.EgressPools = append(out.EgressPools, pool)
	}
	out.Classes = each(from.Classes, (*intentClassJSON).class)
	for p, points := range from.DSCP {
		if p < 0 || p >= pg.PerPort {
			return fmt.Errorf("dscp: priority %d: want 0 to %d", p, pg.PerPort-1)
		}
		for _, d := range points {
			if d < 0 || d >= pg.DSCPs {
				return fmt.Errorf("dscp: %d of priority %d: want 0 to %d", d, p, pg.DSCPs-1)
			}
			out.DSCP[p] |= pg.Points(d)
		}
	}
	if from.Trust != "" {
		if out.Trust, err = pg.ParseTrust(from.Trust); err != nil {
			return fmt.Errorf("trust: %w", err)
		}
	}
	var bad []error
	out.ETS = each(from.ETS, func(g *groupJSON) ets.Group {
		group, err := g.group()
		bad = append(bad, err)
		return group
	})
	out.Ports = each(from.Ports, func(p *intentPortJSON) Port {
		port, err := p.port()
		bad = append(bad, err)
		return port
	})
	if err := errors.Join(bad...); err != nil {
		return err
	}
	*in = out
	return nil
}

// each translates a list; nil stays nil.
func each[A, B any](list []A, to func(*A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i := range list {
		out[i] = to(&list[i])
	}
	return out
}

// pointer is an optional value as JSON has it.
func pointer[T any](o unit.Optional[T]) *T {
	if v, given := o.Get(); given {
		return &v
	}
	return nil
}

// optional is the inverse of pointer.
func optional[T any](p *T) unit.Optional[T] {
	if p == nil {
		return unit.Optional[T]{}
	}
	return unit.Given(*p)
}

// sizingOf names a method and its parameters, or nil.
func sizingOf(s thresholds.Sizer, chip string) (*sizingJSON, error) {
	if s == nil {
		return nil, nil
	}
	if t, ok := s.(*table.Table); ok {
		return &sizingJSON{Method: t.Method(), Table: &tableJSON{t.Name, each(t.Rows, func(r *table.Row) rowJSON {
			return rowJSON{r.Rate, r.Cable, r.Size, r.XON, r.XOFF, r.Alpha, pointer(r.XONOffset), r.Line}
		})}}, nil
	}
	options, err := method.OptionsOf(s, chip)
	if err != nil {
		return nil, err
	}
	return &sizingJSON{Method: s.Method(), Options: options}, nil
}

// sizer makes the method.
func (s *sizingJSON) sizer(chip string) (thresholds.Sizer, error) {
	name := (&table.Table{}).Method()
	switch {
	case s == nil:
		return nil, nil
	case (s.Table != nil) != (s.Method == name) || s.Table != nil && len(s.Options) > 0:
		return nil, fmt.Errorf("headroom: method %q: want a table with the method %s alone, and no options with it",
			s.Method, name)
	case s.Table != nil:
		return &table.Table{Name: s.Table.Name, Rows: each(s.Table.Rows, func(r *rowJSON) table.Row {
			return table.Row{Rate: r.Speed, Cable: r.Cable, Size: r.Size, XON: r.XON, XOFF: r.XOFF, Alpha: r.DynamicTh,
				XONOffset: optional(r.XONOffset), Line: r.Line}
		})}, nil
	}
	out, err := method.NewSizer(s.Method, chip, s.Options)
	if err != nil {
		return nil, fmt.Errorf("headroom: %w", err)
	}
	return out, nil
}

func groupJSONOf(g *ets.Group) groupJSON {
	return groupJSON{g.Number, g.Name, g.Selection.String(), g.Bandwidth, g.IdleSlope}
}

func (g *groupJSON) group() (ets.Group, error) {
	selection, err := ets.ParseSelection(g.Selection)
	if err != nil {
		err = fmt.Errorf("group %d: %w", g.Number, err)
	}
	return ets.Group{Number: g.Number, Name: g.Name, Selection: selection, Bandwidth: g.Bandwidth,
		IdleSlope: g.IdleSlope}, err
}

func classJSONOf(c *Class) intentClassJSON {
	out := intentClassJSON{Name: c.Name, Priorities: c.Priorities, Lossless: c.Lossless, Credits: c.Credits,
		Group: pointer(c.Group), Reserved: pointer(c.Reserved), DynamicTh: c.Alpha, StaticLimit: c.StaticLimit,
		MTU: c.MTU, XONOffset: pointer(c.XONOffset), QueueReserved: c.QueueReserved,
		EgressPool: c.Egress.Pool, QueueDynamicTh: c.Egress.Alpha, QueueLimit: c.Egress.Limit, Weight: c.Weight,
		Strict: c.Strict, ETS: pointer(c.ETS)}
	for _, a := range c.Channels {
		out.Channels = append(out.Channels, channelJSON(a))
	}
	if c.ECN != (ecn.Thresholds{}) {
		out.ECN = &ecnJSON{c.ECN.KMin, c.ECN.KMax, c.ECN.PMax}
	}
	return out
}

func (c *intentClassJSON) class() Class {
	out := Class{Name: c.Name, Priorities: c.Priorities, Lossless: c.Lossless, Credits: c.Credits,
		Group: optional(c.Group), Reserved: optional(c.Reserved), Alpha: c.DynamicTh, StaticLimit: c.StaticLimit,
		MTU: c.MTU, XONOffset: optional(c.XONOffset), QueueReserved: c.QueueReserved,
		Egress: Egress{c.EgressPool, c.QueueDynamicTh, c.QueueLimit}, Weight: c.Weight, Strict: c.Strict,
		ETS: optional(c.ETS)}
	for _, a := range c.Channels {
		out.Channels = append(out.Channels, cbfc.Assignment(a))
	}
	if c.ECN != nil {
		out.ECN = ecn.Thresholds{KMin: c.ECN.KMin, KMax: c.ECN.KMax, PMax: c.ECN.PMax}
	}
	return out
}

func portJSONOf(p *Port) intentPortJSON {
	var measured *measurementJSON
	if p.Measured.IsGiven() {
		measured = new(measurementJSON(p.Measured))
	}
	return intentPortJSON{Measured: measured, Name: p.Name, Speed: p.Rate, Cable: p.Cable, Medium: p.Medium.String(),
		Delay: pointer(p.Delay), Extra: p.Extra, MACsec: p.MACsec, MTU: p.MTU, Pipe: p.Pipe,
		Response: pointer(p.Response), Reserved: p.Reserved, Credits: p.Credits, Shared: p.SharedCredits,
		Classes: p.Classes, State: p.State.String()}
}

func (p *intentPortJSON) port() (Port, error) {
	out := Port{Name: p.Name, Rate: p.Speed, Cable: p.Cable, Delay: optional(p.Delay), Extra: p.Extra, MACsec: p.MACsec,
		MTU: p.MTU, Pipe: p.Pipe, Response: optional(p.Response), Reserved: p.Reserved,
		Credits: p.Credits, SharedCredits: p.Shared, Classes: p.Classes}
	if p.Measured != nil {
		out.Measured = thresholds.Measurement(*p.Measured)
	}
	var err1, err2 error
	out.Medium, err1 = thresholds.ParseMedium(p.Medium)
	out.State, err2 = ParsePortState(p.State)
	if err := errors.Join(err1, err2); err != nil {
		return out, fmt.Errorf("port %.80q: %w", p.Name, err)
	}
	return out, nil
}

// egressPoolJSONOf is a pool of the egress in JSON.
func egressPoolJSONOf(p *EgressPool) egressPoolJSON {
	if p.Size == 0 {
		return egressPoolJSON{Name: p.Name}
	}
	return egressPoolJSON{p.Name, new(p.Size)}
}
