package buffer_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// A number of a chip file that has no source is named, so that a controller can say on what its plan stands.
func ExampleChip_Unsourced() {
	chip := buffer.Chip{Name: "lab", Cell: 208, Overhead: 64}
	chip.Sources.Cell = "the vendor's data sheet"
	fmt.Println(chip.Unsourced())
	// Output:
	// [overhead_bytes]
}

// Every field of a chip that holds a number is refused without a source, one that is added later included.
func TestUnsourcedNumbersAreNamed(t *testing.T) {
	words := map[string]bool{"Name": true, "Title": true, "Notes": true, "Sources": true}
	var every buffer.Sources
	for _, v := range reflect.ValueOf(&every).Elem().Fields() {
		v.SetString("a datasheet")
	}
	for f, v := range reflect.ValueOf(&buffer.Chip{}).Elem().Fields() {
		if words[f.Name] {
			continue
		}
		var c buffer.Chip
		require.Empty(t, c.Unsourced())
		v = reflect.ValueOf(&c).Elem().FieldByName(f.Name)
		fill(v)
		require.Len(t, c.Unsourced(), 1, f.Name)
		c.Sources = every
		require.Empty(t, c.Unsourced(), f.Name)
	}
	c := buffer.Chip{Slices: []buffer.Slice{{}, {Takes: []buffer.Take{{Cells: 1}}}}, Sources: every}
	require.Equal(t, []string{"slices[1].takes[0]"}, c.Unsourced())
}

// fill puts something that is not zero into a value.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("SRAM")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Struct:
		fill(v.Field(0))
	default:
		v.SetInt(1)
	}
}

func TestChipDescriptionIsValidated(t *testing.T) {
	for path, spoil := range map[string]func(*buffer.Chip){
		"chip.max_ports":               func(c *buffer.Chip) { c.Ports = -1 },
		"chip.ingress_pools":           func(c *buffer.Chip) { c.IngressPools = 65 },
		"chip.egress_pools":            func(c *buffer.Chip) { c.EgressPools = -1 },
		"chip.headroom_pools":          func(c *buffer.Chip) { c.HeadroomPools = -1 },
		"chip.reclaims":                func(c *buffer.Chip) { c.Reclaims = "everything" },
		"chip.memory_kind":             func(c *buffer.Chip) { c.MemoryKind = "rope" },
		"chip.memory_bytes":            func(c *buffer.Chip) { c.MemoryBytes = -1 },
		"chip.memory_cell_bytes":       func(c *buffer.Chip) { c.MemoryCell = -1 },
		"chip.max_queue_bytes":         func(c *buffer.Chip) { c.MaxQueue = -1 },
		"chip.offload_gbps":            func(c *buffer.Chip) { c.Offload = -1 },
		"chip.max_pool_cells":          func(c *buffer.Chip) { c.MaxPool = -1 },
		"chip.max_headroom_pool_cells": func(c *buffer.Chip) { c.MaxHeadroomPool = -1 },
		"chip.max_port_headroom_cells": func(c *buffer.Chip) { c.MaxPortHeadroom = -1 },
		"chip.headroom_defaults[0].speed": func(c *buffer.Chip) {
			c.HeadroomDefaults = []buffer.HeadroomDefault{{}}
		},
		"chip.headroom_defaults[1].speed": func(c *buffer.Chip) {
			c.HeadroomDefaults = []buffer.HeadroomDefault{{Speed: 2}, {Speed: 1}}
		},
		"chip.headroom_defaults[0].line_rate_cells": func(c *buffer.Chip) {
			c.HeadroomDefaults = []buffer.HeadroomDefault{{Speed: 2, LineRate: -1}}
		},
		"chip.rounding.mantissa_bits":           func(c *buffer.Chip) { c.Rounding.Mantissa = 63 },
		"chip.rounding.headroom_mantissa_bits":  func(c *buffer.Chip) { c.Rounding.HeadroomMantissa = -1 },
		"chip.rounding.marking_threshold_bytes": func(c *buffer.Chip) { c.Rounding.Marking = -1 },
		"chip.rounding.resume_offset_cells":     func(c *buffer.Chip) { c.Rounding.ResumeOffset = -1 },
		"chip.rounding.colour_limit_cells":      func(c *buffer.Chip) { c.Rounding.ColourLimit = -1 },
		"chip.headroom_defaults[0].oversubscribed_c": func(c *buffer.Chip) {
			c.HeadroomDefaults = []buffer.HeadroomDefault{{Speed: unit.Gbps, Oversubscribed: -1}}
		},
	} {
		c := tomahawk()
		require.NoError(t, c.Validate())
		spoil(&c)
		require.ErrorContains(t, c.Validate(), path)
	}
}
