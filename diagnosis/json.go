package diagnosis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
)

// COUNTERS_DB has a table COUNTERS of objects by their id, and tables that give the ids of names:
//
//	{"COUNTERS_PORT_NAME_MAP": {"Ethernet0": "oid:0x1000000000002"},
//	 "COUNTERS_PG_NAME_MAP":   {"Ethernet0:3": "oid:0x1a000000000030"},
//	 "COUNTERS:oid:0x1000000000002": {"SAI_PORT_STAT_PFC_3_RX_PKTS": "12"},
//	 "USER_WATERMARKS:oid:0x1a000000000030": {"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES": "9216"}}
//
// In a dump of Redis each value may be {"type": "hash", "value": {...}}. sonic-gnmi's virtual paths answer with names
// in place of ids: {"Ethernet0": {...}} for COUNTERS, and {"Ethernet0:3": {...}} for PERIODIC_WATERMARKS and Pfcwd.

// nameMaps are the tables that give the ids of names.
var nameMaps = []string{"COUNTERS_PORT_NAME_MAP", "COUNTERS_PG_NAME_MAP", "COUNTERS_BUFFER_POOL_NAME_MAP",
	"COUNTERS_QUEUE_NAME_MAP"}

// tables are the tables of objects, in the form that precedes ids and names.
var tables = []string{"COUNTERS:", "USER_WATERMARKS:", "PERSISTENT_WATERMARKS:", "PERIODIC_WATERMARKS:"}

// The fields, by what is counted.
var (
	groupFields = map[string]quantity{
		"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES": headroomMark,
		"SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_CELLS": headroomMark,
		"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES":    sharedMark,
		"SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_CELLS":    sharedMark,
		"SAI_INGRESS_PRIORITY_GROUP_STAT_WATERMARK_BYTES":           totalMark,
		"SAI_INGRESS_PRIORITY_GROUP_STAT_WATERMARK_CELLS":           totalMark,
		"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS":           drops,
		// Of the egress queue with the number of the priority (sonic-swss, pfcwdorch).
		"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED": storms,
	}
	portFields = map[string]quantity{"SAI_PORT_STAT_IF_IN_OCTETS": bytesIn, "SAI_PORT_STAT_IF_OUT_OCTETS": bytesOut}
	poolFields = map[string]bool{"SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES": true,
		"SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_CELLS": true}
	pfcField  = once.Pattern(`^SAI_PORT_STAT_PFC_([0-7])_(RX_PKTS|TX_PKTS|RX_PAUSE_DURATION_US)$`)
	pfcCounts = map[string]quantity{"RX_PKTS": pauseReceived, "TX_PKTS": pauseSent, "RX_PAUSE_DURATION_US": pausedTime}
)

// CountersOf reads objects of COUNTERS_DB that were decoded already, as a switch answers them: see the forms
// of JSON. Unlike Read it accepts that nothing is there.
func CountersOf(all []map[string]any, opt CounterOptions) (Sample, error) {
	c := newCollector(opt)
	if err := c.readObjects(all); err != nil {
		return Sample{}, err
	}
	return c.sample(), nil
}

// readJSON reads an object, or a list of objects.
func (c *collector) readJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all []map[string]any
	if data[0] == '[' {
		if err := d.Decode(&all); err != nil {
			return err
		}
	} else {
		var one map[string]any
		if err := d.Decode(&one); err != nil {
			return err
		}
		all = append(all, one)
	}
	if len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return fmt.Errorf("text after the JSON value, at byte %d", d.InputOffset())
	}
	return c.readObjects(all)
}

// readObjects reads objects of COUNTERS_DB.
func (c *collector) readObjects(all []map[string]any) error {
	names := map[string]string{} // names by id
	for _, object := range all {
		for _, table := range nameMaps {
			for name, id := range fieldsOf(object[table]) {
				if text, ok := id.(string); ok {
					names[text] = name
				}
			}
		}
	}
	for _, object := range all {
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if slices.Contains(nameMaps, key) {
				continue
			}
			name := key
			for _, table := range tables {
				name = strings.TrimPrefix(name, table)
			}
			if known, there := names[name]; there {
				name = known
			}
			if err := c.object(name, fieldsOf(object[key]), !strings.HasPrefix(key, "COUNTERS:")); err != nil {
				return fmt.Errorf("%s: %w", key[:min(len(key), 80)], err)
			}
		}
	}
	return nil
}

// fieldsOf returns the fields of an object; nil for another value.
func fieldsOf(v any) map[string]any {
	object, _ := v.(map[string]any)
	if inner, wrapped := object["value"].(map[string]any); wrapped && object["type"] == "hash" {
		return inner
	}
	return object
}

// object reads the fields of a port, a group, or a pool. An object whose id has no name is passed over, and so are the
// watermarks of an object of COUNTERS: they are those since the last poll, and the other tables have the largest of
// them.
func (c *collector) object(name string, fields map[string]any, marks bool) error {
	if strings.HasPrefix(name, "oid:") {
		return nil
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if !marks && strings.Contains(field, "_WATERMARK_") {
			continue
		}
		if err := c.field(name, field, fields[field]); err != nil {
			return fmt.Errorf("%s: %w", field[:min(len(field), 80)], err)
		}
	}
	return nil
}

// field reads one field. Fields of other counters are passed over.
func (c *collector) field(name, field string, value any) error {
	group, isGroup := groupFields[field]
	port, isPort := portFields[field]
	pfc := pfcField().FindStringSubmatch(field)
	if !isGroup && !isPort && pfc == nil && !poolFields[field] {
		return nil
	}
	text, ok := value.(string)
	if n, isNumber := value.(json.Number); isNumber {
		text, ok = n.String(), true
	}
	if !ok {
		return fmt.Errorf("%T: want a number, or text with a number", value)
	}
	n, known, err := c.number(text, strings.HasSuffix(field, "_CELLS"))
	if err != nil || !known {
		return err
	}
	switch {
	case isPort:
		return c.set(name, 0, port, n)
	case pfc != nil:
		priority, _ := strconv.Atoi(pfc[1]) // one digit
		return c.set(name, priority, pfcCounts[pfc[2]], n)
	case isGroup:
		at := strings.LastIndexByte(name, ':')
		index, err := strconv.Atoi(name[at+1:])
		if at <= 0 || err != nil || index < 0 || index > 255 {
			return fmt.Errorf("a priority group or queue %q: want PORT:NUMBER", name[:min(len(name), 80)])
		}
		return c.set(name[:at], index, group, n)
	default:
		return c.set("", 0, poolMark, n)
	}
}
