package buffer_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// reread writes an intent as JSON and reads it.
func reread(t *testing.T, in buffer.Intent) (again buffer.Intent) {
	t.Helper()
	text, err := json.Marshal(in)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &again), "%s", text)
	return again
}

// Random intents are the same after JSON, and so are their plans.
func TestIntentsRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes and reads many intents")
	}
	written := 0
	for seed := range uint64(400) {
		in := golden.Random(rand.New(rand.NewPCG(seed, 33)))
		if _, err := json.Marshal(in); err != nil {
			require.ErrorIs(t, err, buffer.ErrNoJSON, seed)
			continue
		}
		again := reread(t, in)
		require.Equal(t, in.Sizing, again.Sizing, seed)
		require.Equal(t, in.Classes, again.Classes, seed)
		require.Equal(t, in.Ports, again.Ports, seed)
		written++
		a, err := buffer.New(in)
		b, err2 := buffer.New(again)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(err2), seed)
		if err == nil {
			require.Equal(t, a.Layout(), b.Layout(), seed)
			require.Equal(t, a.Warnings, b.Warnings, seed)
		}
	}
	require.Greater(t, written, 300)
}

// fillIntent sets every field of a struct to a value that is not its zero; a field of another kind fails the test.
func fillIntent(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	special := map[string]any{"Sizing": thresholds.IEEE{Mix: thresholds.Frames(256)}, "Chip": nil,
		"Medium": thresholds.Copper, "State": buffer.PortAdminDown, "Trust": pg.TrustPCP,
		"Selection": dcbx.CreditBased, "ETS": unit.Given(0),
		"DSCP": pg.DSCPMap{3: pg.Points(24, 26)},
		"ECN":  ecn.Thresholds{KMin: 1000, KMax: 2000, PMax: unit.Whole / 20}, "Priorities": []int{3, 4}}
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if x, is := special[name]; is && f.Type() != reflect.TypeFor[[]ets.Group]() {
			if x != nil {
				f.Set(reflect.ValueOf(x))
			}
			continue
		}
		switch x := f.Interface().(type) {
		case unit.Optional[unit.Bytes]:
			f.Set(reflect.ValueOf(unit.Given(unit.Bytes(0))))
		case unit.Optional[int]:
			f.Set(reflect.ValueOf(unit.Given(0)))
		case unit.Optional[unit.Time]:
			f.Set(reflect.ValueOf(unit.Given(1500 * unit.Nanosecond)))
		case *thresholds.Alpha:
			f.Set(reflect.ValueOf(new(thresholds.Alpha(-3))))
		case *int:
			f.Set(reflect.ValueOf(new(0)))
		default:
			switch f.Kind() {
			case reflect.String:
				f.SetString("x1")
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Int, reflect.Int64:
				f.SetInt(7)
			case reflect.Uint8:
				f.SetUint(1)
			case reflect.Struct:
				fillIntent(t, f, path+"."+name)
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
				fillIntent(t, f.Index(0), path+"."+name)
			default:
				t.Fatalf("%s.%s of type %T: the test does not know it", path, name, x)
			}
		}
	}
}

// Every field of an intent stands in its JSON: a new field that does not is found here.
func TestEveryFieldOfAnIntentRoundTrips(t *testing.T) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	in := buffer.Intent{}
	fillIntent(t, reflect.ValueOf(&in).Elem(), "Intent")
	in.Chip = chip
	require.Equal(t, in, reread(t, in))
	require.Equal(t, buffer.Intent{Chip: chip}, reread(t, buffer.Intent{Chip: chip}), "nothing but a chip")
}

// Every chip of the catalogue, every method, and a table.
func TestChipsAndMethodsRoundTrip(t *testing.T) {
	for _, name := range asic.Names() {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		require.Equal(t, chip, reread(t, buffer.Intent{Chip: chip}).Chip)
		for _, m := range method.Methods() {
			if s, err := method.NewSizer(m, name, nil); err == nil {
				require.Equal(t, s, reread(t, buffer.Intent{Chip: chip, Sizing: s}).Sizing)
			}
		}
	}
	rows := &table.Table{Name: "t.ini", Rows: []table.Row{{Rate: 400 * unit.Gbps, Cable: 40 * unit.Metre, Size: 1, XON: 2,
		XOFF: 3, Alpha: -3, XONOffset: unit.Given[unit.Bytes](0), Line: 7}, {Rate: 1}}}
	require.Equal(t, rows, reread(t, buffer.Intent{Sizing: rows}).Sizing)
}

// What JSON does not express is refused, and never written as something else.
func TestWhatHasNoJSON(t *testing.T) {
	for what, in := range map[string]buffer.Intent{
		"a sizer of one's own": {Sizing: upsideDown{thresholds.IEEE{}}},
		"own delays": {
			Sizing: thresholds.IEEE{Delays: thresholds.Delays{Response: []thresholds.RateDelay{{Rate: 1}}}},
		},
		"no medium": {Ports: []buffer.Port{{Name: "Ethernet1", Medium: 77}}},
		"no state":  {Ports: []buffer.Port{{Name: "Ethernet1", State: 77}}},
		"no trust":  {Trust: 77},
		"no text":   {Ports: []buffer.Port{{Name: "\xff"}}},
	} {
		_, err := json.Marshal(in)
		require.ErrorIs(t, err, buffer.ErrNoJSON, what)
	}
}

func TestJSONThatIsNoIntent(t *testing.T) {
	chip := `"chip": {"name": "x", "title": "", "cell_bytes": 1, "slices": []}`
	for text, want := range map[string]string{
		`{}`: `schema "": want cellwarden.intent/v1`,
		`{"schema": "cellwarden.intent/v1", "port": []}`:                                    "unknown field",
		`{"schema": "cellwarden.intent/v1", ` + chip + `, "headroom": {"method": "guess"}}`: "is not a method",
		`{"schema": "cellwarden.intent/v1", "headroom": {"method": "table"}}`: "a table with " +
			"the method",
		`{"schema": "cellwarden.intent/v1", "headroom": {"method": "mlx5", "options": {"frame": "64B"}}}`: "not a parameter",
		`{"schema": "cellwarden.intent/v1", "dscp": {"8": [1]}}`:                                          "priority 8",
		`{"schema": "cellwarden.intent/v1", "dscp": {"3": [64]}}`:                                         "64 of priority 3",
		`{"schema": "cellwarden.intent/v1", "trust": "both"}`:                                             "trust",
		`{"schema": "cellwarden.intent/v1", "ports": [{"name": "a", "speed": "400"}]}`:                    "400",
		`{"schema": "cellwarden.intent/v1", "ports": [{"name": "a", "medium": "air", "state": "up"}]}`:    `port "a"`,
		`{"schema": "cellwarden.intent/v1", "ports": [` + strings.Repeat("{},", 4096) + `{}]}`:            "4097 ports",
	} {
		var in buffer.Intent
		require.ErrorContains(t, json.Unmarshal([]byte(text), &in), want, "%.100s", text)
		require.Equal(t, buffer.Intent{}, in, "nothing is changed")
	}
	require.Error(t, new(buffer.Intent).UnmarshalJSON([]byte(`{"schema": "cellwarden.intent/v1"} {}`)))
	require.ErrorContains(t, new(buffer.Intent).UnmarshalJSON(make([]byte, buffer.MaxIntentBytes+1)), "at most")
}

// FuzzIntentJSON: what is read is written and read again as the same.
func FuzzIntentJSON(f *testing.F) {
	in := dedicated(2, 300*unit.Metre)
	text, err := json.Marshal(in)
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"schema": "cellwarden.intent/v1", "classes": [{"priorities": [3], "dynamic_th": -3,
		"ecn": {"pmax": "5%"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var in, again buffer.Intent
		if json.Unmarshal(data, &in) != nil {
			return
		}
		text, err := json.Marshal(in)
		if err != nil {
			require.ErrorIs(t, err, buffer.ErrNoJSON)
			return
		}
		require.NoError(t, json.Unmarshal(text, &again))
		once, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(text), string(once))
	})
}

// An intent is saved as JSON, and planned where it is read again.
func ExampleIntent_MarshalJSON() {
	saved, err := json.Marshal(dedicated(2, 300*unit.Metre))
	if err != nil {
		fmt.Println(err)
		return
	}
	var again buffer.Intent
	if err := json.Unmarshal(saved, &again); err != nil {
		fmt.Println(err)
		return
	}
	plan, err := buffer.New(again)
	fmt.Println("ports:", len(plan.Ports), "error:", err)
	// Output:
	// ports: 2 error: <nil>
}
