package sonicfake

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// names are the tables of names and ids that the server has read: once in its life, with the first request for
// COUNTERS_DB (virtual_db.go, initCountersPortNameMap, initAliasMap).
type names struct {
	ids     map[string]map[string]string // by table and name
	aliases map[string]string            // vendors' names by ports' names; nil: a port has none (GetAliasMap)
}

// Count writes a field of COUNTERS_DB. A key is a table, or a table and an id: "COUNTERS_PORT_NAME_MAP",
// "COUNTERS:oid:0x1".
func (s *Switch) Count(key, field, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counters == nil {
		s.counters = map[string]map[string]string{}
	}
	if s.counters[key] == nil {
		s.counters[key] = map[string]string{}
	}
	s.counters[key][field] = value
}

// counted answers for the target COUNTERS_DB (db_client.go, parsePath): a virtual path has the objects of ports by
// the vendor's names of the ports, another one is a table, and a table and an id. An id that is not there is an error,
// in a virtual path it is left out (db_client.go, ensureKeysExistInRedis, TableData2Msi).
func (s *Switch) counted(prefix, p *gpb.Path) (any, error) {
	if s.names == nil {
		s.names = s.readNames()
	}
	var path []string
	for _, e := range append(slices.Clone(prefix.GetElem()), p.GetElem()...) {
		path = append(path, e.GetName())
	}
	if ids := s.virtual(path); ids != nil {
		out := map[string]map[string]string{}
		for name, id := range ids {
			if fields := s.counters[path[0]+":"+id]; len(fields) > 0 {
				out[name] = maps.Clone(fields)
			}
		}
		return out, nil
	}
	switch len(path) {
	case 1:
		return maps.Clone(s.counters[path[0]]), nil // of a table that is not there no key is found
	case 2:
		fields := s.counters[path[0]+":"+path[1]]
		if fields == nil {
			//lint:ignore ST1005 the text is that of the server
			return nil, fmt.Errorf("No valid entry found on COUNTERS_DB with key %s:%s", path[0], path[1])
		}
		return maps.Clone(fields), nil
	}
	return nil, errors.New("a table, an object or a virtual path is what a test reads")
}

// readNames reads the tables of names.
func (s *Switch) readNames() *names {
	out := &names{ids: map[string]map[string]string{}, aliases: map[string]string{}}
	for _, table := range []string{"COUNTERS_PORT_NAME_MAP", "COUNTERS_PG_NAME_MAP", "COUNTERS_QUEUE_NAME_MAP"} {
		out.ids[table] = maps.Clone(s.counters[table])
	}
	for port, e := range s.db["PORT"] {
		if e["alias"] == "" {
			out.aliases = nil
			break
		}
		out.aliases[port] = e["alias"]
	}
	return out
}

// virtual is the ids of a virtual path by the names that its answer has (virtual_db.go, v2rEthPortStats,
// v2rEthPortPGPeriodicWMs, v2rEthPortPfcwdStats); nil: it is none, or a port of it is not known.
func (s *Switch) virtual(path []string) map[string]string {
	table := map[string]string{
		"COUNTERS/Ethernet*":                           "COUNTERS_PORT_NAME_MAP",
		"PERIODIC_WATERMARKS/Ethernet*/PriorityGroups": "COUNTERS_PG_NAME_MAP",
		"COUNTERS/Ethernet*/Pfcwd":                     "COUNTERS_QUEUE_NAME_MAP",
	}[strings.Join(path, "/")]
	if table == "" {
		return nil
	}
	out := map[string]string{}
	for name, id := range s.names.ids[table] {
		port, index, within := strings.Cut(name, ":")
		alias, known := s.names.aliases[port]
		if !known {
			return nil // it has no namespace
		}
		if within {
			alias += ":" + index
		}
		out[alias] = id
	}
	return out
}
