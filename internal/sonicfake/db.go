package sonicfake

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

// DB is CONFIG_DB: fields by table and key. All values are texts.
type DB map[string]map[string]map[string]string

// Shipped is a switch as it comes, with two ports and a pool that fits.
func Shipped() DB {
	return DB{
		"DEVICE_METADATA": {"localhost": {"hwsku": "Force10-S6100"}},
		"PORT":            {"Ethernet0": {"speed": "100000"}, "Ethernet4": {"speed": "100000"}},
		"BUFFER_POOL": {
			"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "12582912", "xoff": "4194304"},
			"egress_lossless_pool":  {"type": "egress", "mode": "static", "size": "15982720"},
		},
		"BUFFER_PROFILE": {
			"ingress_lossy_profile":   {"pool": "ingress_lossless_pool", "size": "0", "static_th": "10875072"},
			"egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "15982720"},
		},
		"CABLE_LENGTH":             {"AZURE": {"Ethernet0": "5m", "Ethernet4": "5m"}},
		"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0"}},
		"BUFFER_PG": {"Ethernet0|0": {"profile": "ingress_lossy_profile"},
			"Ethernet4|0": {"profile": "ingress_lossy_profile"}},
		"PORT_QOS_MAP": {"Ethernet0": {"tc_to_pg_map": "AZURE", "dscp_to_tc_map": "AZURE"},
			"Ethernet4": {"pfc_enable": "2", "tc_to_pg_map": "AZURE"}},
		"DSCP_TO_TC_MAP": {"AZURE": {"0": "0", "26": "3"}},
	}
}

func clone(db DB) DB {
	out := DB{}
	for name, table := range db {
		out[name] = map[string]map[string]string{}
		for key, e := range table {
			out[name][key] = maps.Clone(e)
		}
	}
	return out
}

// patched is a database after a JSON patch.
func patched(db DB, req *gpb.SetRequest) (DB, error) {
	out := clone(db)
	for _, p := range req.GetDelete() {
		path, err := inPatch(req.GetPrefix(), p)
		if err != nil {
			return nil, err
		}
		if !passedOver(p) {
			out.remove(path)
		}
	}
	for _, u := range req.GetReplace() {
		path, err := inPatch(req.GetPrefix(), u.GetPath())
		if err != nil {
			return nil, err
		}
		if !out.has(path) || passedOver(u.GetPath()) {
			return nil, fmt.Errorf("cannot replace %v, which is not there", path)
		}
		if err := out.add(path, u.GetVal()); err != nil {
			return nil, err
		}
	}
	for _, u := range req.GetUpdate() {
		path, err := inPatch(req.GetPrefix(), u.GetPath())
		if err != nil {
			return nil, err
		}
		if err := out.add(path, u.GetVal()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inPatch is a path as a pointer of a patch (RFC 6901), which the server makes of the names as they are: a slash parts
// names, and ~1 is a slash in one.
func inPatch(prefix, p *gpb.Path) ([]string, error) {
	path, err := inConfig(prefix, p)
	path = strings.Split(strings.Join(path, "/"), "/")
	for i, name := range path {
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return path, err
}

// passedOver tells whether a path is of a field with a slash in its name: the server looks for the slash in the name of
// an entry alone, does not find the field in its checkpoint, and leaves its deletion out of the patch (json_client.go,
// FixPath, Remove; mixed_db_client.go, SetIncrementalConfig).
func passedOver(p *gpb.Path) bool {
	names := p.GetElem()
	return len(names) == 5 && strings.Contains(names[4].GetName(), "~1") // database, namespace, table, entry, field
}

// at is the value at a path.
func (db DB) at(path []string) (any, error) {
	var at any = db
	for _, name := range path {
		switch v := at.(type) {
		case DB:
			if len(v[name]) == 0 {
				return nil, fmt.Errorf("failed to find CONFIG_DB %s", name)
			}
			at = v[name]
		case map[string]map[string]string:
			if v[name] == nil {
				return nil, fmt.Errorf("no valid entry found for path %v", path)
			}
			at = v[name]
		case map[string]string:
			text, there := v[name]
			if !there {
				return nil, fmt.Errorf("no valid entry found for path %v", path)
			}
			at = text
		default:
			return nil, errors.New("invalid db table Path")
		}
	}
	return at, nil
}

func (db DB) has(path []string) bool {
	switch len(path) {
	case 1:
		return db[path[0]] != nil
	case 2:
		return db[path[0]][path[1]] != nil
	}
	_, there := db[path[0]][path[1]][path[2]]
	return there
}

// remove deletes a path. A path that is absent is no error.
func (db DB) remove(path []string) {
	switch len(path) {
	case 1:
		delete(db, path[0])
	case 2:
		delete(db[path[0]], path[1])
	default:
		delete(db[path[0]][path[1]], path[2])
	}
}

// add is the operation of RFC 6902: the parent has to exist.
func (db DB) add(path []string, v *gpb.TypedValue) error {
	data := v.GetJsonIetfVal()
	if len(data) == 0 {
		return errors.New("value encoding is not IETF JSON")
	}
	if len(path) > 1 && !db.has(path[:len(path)-1]) {
		return fmt.Errorf("cannot add %v: its parent is not there", path)
	}
	var err error
	switch len(path) {
	case 1:
		var table map[string]map[string]string
		err = json.Unmarshal(data, &table)
		db[path[0]] = table
	case 2:
		var entry map[string]string
		err = json.Unmarshal(data, &entry)
		db[path[0]][path[1]] = entry
	case 3:
		var text string
		err = json.Unmarshal(data, &text)
		db[path[0]][path[1]][path[2]] = text
	default:
		err = errors.New("invalid db table Path")
	}
	return err
}
