package sonic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// CONFIG_DB has texts alone; numbers and lists of a file are read as the texts that the switch makes of them.
type (
	// Database is CONFIG_DB: tables by their names.
	Database map[string]Table
	// Table is one table: entries by their keys.
	Table map[string]Entry
	// Entry is one entry: texts by their fields.
	Entry map[string]string
)

// Tables lists the tables that a plan is compared with. DEVICE_METADATA says how the switch manages its buffers, PORT
// which ports it has, and the lists of profiles which profiles are in use beside those of groups and queues.
func Tables() []string {
	return append(slices.Clone(order), "DEVICE_METADATA", "PORT", "BUFFER_PORT_INGRESS_PROFILE_LIST",
		"BUFFER_PORT_EGRESS_PROFILE_LIST")
}

// ReadConfigDB reads the tables of a config_db.json that a plan is compared with, and ignores the others.
func ReadConfigDB(data []byte) (Database, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, fmt.Errorf("CONFIG_DB: %w", err)
	}
	db := Database{}
	for _, name := range Tables() {
		if text, there := whole[name]; there {
			table, err := ReadTable(text)
			if err != nil {
				return nil, fmt.Errorf("CONFIG_DB: %s: %w", name, err)
			}
			db[name] = table
		}
	}
	return db, nil
}

// ReadTable reads one table, entries by key. It refuses nested entries, which CONFIG_DB does not have.
func ReadTable(data []byte) (Table, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var raw map[string]map[string]any
	var kind *json.UnmarshalTypeError
	if err := decoder.Decode(&raw); errors.As(err, &kind) {
		return nil, fmt.Errorf("byte %d is in a value of the kind %s: want entries, each an object with fields", kind.Offset,
			kind.Value)
	} else if err != nil {
		return nil, err
	}
	table := Table{}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		entry := Entry{}
		for _, field := range slices.Sorted(maps.Keys(raw[key])) {
			text, err := textOf(raw[key][field])
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", key, field, err)
			}
			entry[strings.TrimSuffix(field, "@")] = text // the database marks lists with @
		}
		table[key] = entry
	}
	return table, nil
}

func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return normalText(v), nil
	case json.Number:
		return normalText(v.String()), nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			if _, nested := item.([]any); nested {
				return "", fmt.Errorf("%v: want texts, or a list of texts", v)
			}
			text, err := textOf(item)
			if err != nil {
				return "", err
			}
			parts[i] = text
		}
		return strings.Join(parts, ","), nil
	}
	return "", fmt.Errorf("%v: want texts, or a list of texts", v)
}

// normalText is the form in which values are compared: without blanks around it, which some shipped files have; a
// number without leading zeros; a reference in the older form, [BUFFER_POOL|name], as the name.
func normalText(text string) string {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	if !strings.HasPrefix(text, "[") {
		return text
	}
	parts := strings.Split(text, ",")
	for i, p := range parts {
		inner, found := strings.CutPrefix(strings.TrimSpace(p), "[")
		if _, name, named := strings.Cut(strings.TrimSuffix(inner, "]"), "|"); found && named {
			parts[i] = name
		}
	}
	return strings.Join(parts, ",")
}

// Set gives an entry of a table fields beside those that it has. It makes what is missing.
func (db Database) Set(table, key string, fields Entry) {
	if db[table] == nil {
		db[table] = Table{}
	}
	if db[table][key] == nil {
		db[table][key] = Entry{}
	}
	maps.Copy(db[table][key], fields)
}

// holds tells whether an entry has these fields, whatever else it has.
func (e Entry) holds(fields Entry) bool {
	for name, v := range fields {
		if e[name] != v {
			return false
		}
	}
	return len(fields) > 0
}

// Named lists the entries that others name, by their tables: the profile of a group, the map of a port. CONFIG_DB
// accepts no deletion of an entry that is named.
func (db Database) Named() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, p := range pointers {
		if out[p.to] == nil {
			out[p.to] = map[string]bool{}
		}
		for _, e := range db[p.table] {
			for key := range strings.SplitSeq(e[p.field], ",") {
				out[p.to][key] = true
			}
		}
	}
	return out
}

// scope is the ports and the groups or queues that a key names.
type scope struct {
	ports []string
	which uint32 // a bit each
}

// mostQueues is the largest number of a queue, and one more (sonic-buffer-queue.yang).
const mostQueues = 16

// scopeOf reads a key such as "Ethernet0|3-4", or of several ports as older releases had them.
func scopeOf(key string) (scope, bool) {
	ports, numbers, found := strings.Cut(key, "|")
	first, last, ranged := strings.Cut(numbers, "-")
	if !ranged {
		last = first
	}
	from, bad := strconv.ParseUint(first, 10, 8)
	to, worse := strconv.ParseUint(last, 10, 8)
	if !found || bad != nil || worse != nil || to < from || to >= mostQueues {
		return scope{}, false
	}
	return scope{strings.Split(ports, ","), 1<<(to+1) - 1<<from}, true
}

// portKeys lists the keys of a table that name groups or queues of a port, in order.
type portKeys map[string][]string

func (t Table) byPort() portKeys {
	out := portKeys{}
	for _, key := range slices.Sorted(maps.Keys(t)) {
		if s, ok := scopeOf(key); ok {
			for _, p := range s.ports {
				out[p] = append(out[p], key)
			}
		}
	}
	return out
}
