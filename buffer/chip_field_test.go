package buffer_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

func ExampleChipFields() {
	chip := tomahawk()
	for _, f := range buffer.ChipFields() {
		if f.IsNumber() && !f.IsZero(&chip) {
			fmt.Printf("%s: %d, accepted %d to %d\n", f.Key, f.Number(&chip), f.Least, f.Most)
		}
	}
	// Output:
	// cell_bytes: 208, accepted 1 to 1048576
	// overhead_bytes: 64, accepted 0 to 65536
	// min_dynamic_th: -7, accepted -10 to 10
	// max_dynamic_th: 3, accepted -10 to 10
	// groups_per_port: 8, accepted 1 to 8
}

// jsonKeys lists the keys of a struct's JSON, in order.
func jsonKeys(v any) []string {
	var keys []string
	for f := range reflect.TypeOf(v).Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

// A field that is added to a chip without a row in the table would be refused in chip files, and checked by nothing.
func TestChipFieldsAreAllFieldsOfAChip(t *testing.T) {
	var keys, sources []string
	for _, f := range buffer.ChipFields() {
		keys = append(keys, f.Key)
		if key := f.SourceKey(); key != "" && (len(sources) == 0 || sources[len(sources)-1] != key) {
			sources = append(sources, key)
		}
		if f.Parts != nil {
			var parts []string
			for _, p := range f.Parts {
				parts = append(parts, p.Key)
			}
			require.Equal(t, jsonKeys(buffer.Rounding{}), parts)
		}
	}
	require.Equal(t, jsonKeys(buffer.Chip{}), append(keys, "sources", "notes"))
	require.Equal(t, jsonKeys(buffer.Sources{}), sources)
}

// What a row sets is the field of its key, and its source that of its source key.
func TestChipFieldsSetTheFieldsOfTheirKeys(t *testing.T) {
	document := func(c buffer.Chip) map[string]any {
		text, err := json.Marshal(c)
		require.NoError(t, err)
		var out map[string]any
		require.NoError(t, json.Unmarshal(text, &out))
		return out
	}
	fields := buffer.ChipFields()
	for i := range fields {
		if fields[i].Parts != nil {
			for j := range fields[i].Parts {
				part := &fields[i].Parts[j]
				var c buffer.Chip
				part.SetNumber(&c, 5)
				require.EqualValues(t, 5, document(c)[fields[i].Key].(map[string]any)[part.Key])
				require.False(t, fields[i].IsZero(&c))
			}
		}
		f := &fields[i]
		var c buffer.Chip
		require.True(t, f.IsZero(&c))
		switch {
		case f.IsNumber():
			f.SetNumber(&c, 5)
			require.EqualValues(t, 5, document(c)[f.Key])
			require.EqualValues(t, 5, f.Number(&c))
			require.Empty(t, f.Text(&c))
			require.False(t, f.IsZero(&c))
		case f.IsText():
			f.SetText(&c, "SRAM")
			require.Equal(t, "SRAM", document(c)[f.Key])
			require.Equal(t, "SRAM", f.Text(&c))
			require.Zero(t, f.Number(&c))
			require.False(t, f.IsZero(&c))
		}
		require.Empty(t, f.Source(&c))
		if key := f.SourceKey(); key != "" {
			f.SetSource(&c, "a datasheet")
			require.Equal(t, map[string]any{key: "a datasheet"}, document(c)["sources"])
			require.Equal(t, "a datasheet", f.Source(&c))
		}
	}
}

// Every number is accepted at both of its bounds and refused beyond them.
func TestChipNumbersHaveBounds(t *testing.T) {
	fields := buffer.ChipFields()
	for i := range fields {
		f := &fields[i]
		if !f.IsNumber() || strings.HasSuffix(f.Key, "_dynamic_th") { // alphas: the two ends depend on each other
			continue
		}
		for n, ok := range map[int64]bool{f.Least - 1: false, f.Least: true, f.Most: true, f.Most + 1: false} {
			c := tomahawk()
			f.SetNumber(&c, n)
			if ok {
				require.NoError(t, c.Validate(), "%s: %d", f.Key, n)
			} else {
				require.ErrorContains(t, c.Validate(), fmt.Sprintf("chip.%s: %d", f.Key, n))
			}
		}
	}
}

func TestChipFieldsAreTheCallersOwn(t *testing.T) {
	all := buffer.ChipFields()
	for i := range all {
		all[i].Most = -1
		for j := range all[i].Parts {
			all[i].Parts[j].Most = -1
		}
	}
	c := tomahawk()
	c.MaxPool, c.Rounding.Mantissa, c.MemoryBytes = 1, 1, unit.MiB
	require.NoError(t, c.Validate())
}
