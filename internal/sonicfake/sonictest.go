// Package sonicfake is a switch that answers over gNMI as SONiC's own server
// does, as far as tests of a client need it. It was written from the rules of the programs
// that are named here, and shares no code with them nor with the dialect that it is there to check.
//
// Of sonic-gnmi 5ec1c20b it has:
//   - a Get has the type ALL, and all that fails in it is NotFound (gnmi_server/server.go, Get)
//   - a switch that is read-only answers Unimplemented to a Set, and so does one that writes the models of the
//     translation library alone, and one whose models are not written; a path that the server refuses is NotFound, and
//     all else that fails in a Set is Unknown (gnmi_server/server.go, Set)
//   - a path on the list of blocked ones is PermissionDenied: in a Set before its origin is looked at, in a Get and a
//     Subscribe after the path was found (gnmi_server/server.go, Set, Get; client_subscribe.go, Run;
//     paths_blacklist.go, checkPathsBlacklist; pkg/pathblacklist, overlaps)
//   - a database other than CONFIG_DB is not written (sonic_data_client/mixed_db_client.go, Set)
//   - all paths of a Set are in one database and namespace (mixed_db_client.go, ParseDatabase)
//   - a Set is one JSON patch, in whose pointers the names of elements are as they are: a slash in a key has to be sent
//     as ~1 (mixed_db_client.go, SetIncrementalConfig, ConvertToJsonPatch); that of the name of a field is not looked
//     for as a slash in the checkpoint, so such a field can be added, but its deletion is passed over and its
//     replacement refused (json_client.go, FixPath, Remove, Replace)
//   - a Set makes a checkpoint, and the origin sonic-db is read from the checkpoint while there is one that has the
//     path (mixed_db_client.go, SetIncrementalConfig, GetCheckPoint, Get); the target CONFIG_DB is read from Redis,
//     where no key of an empty table is found (db_client.go, TableData2Msi)
//   - of the origin sonic-db a table without entries is not found, unless there are keys that begin with its name, KEYS
//     NAME*: then the answer has no notification (mixed_db_client.go, getDbtablePath, tableData2TypedValue, Get)
//   - an error of the host service may have no text (sonic_service_client/dbus_client.go, DbusApi)
//   - the timers of the host service, after which it goes on (dbus_client.go, DbusApi, ApplyPatchDb, ConfigSave,
//     CreateCheckPoint): see PatchTimesOut
//   - Subscribe STREAM ON_CHANGE of tables, and which of them are refused (gnmi_server/client_subscribe.go, Run;
//     mixed_db_client.go, streamOnChangeSubscription, getDbtablePath): see Subscribe
//   - COUNTERS_DB with the vendor's names of ports (virtual_db.go, initCountersPortNameMap, initAliasMap,
//     v2rEthPortStats): see Count
//
// Of the configuration updater (sonic-utilities 691b1bbc and the tips of its branches, generic_config_updater) it has:
//   - the effect of a patch is compared with what was there, and judged field by field (gu_common.py,
//     validate_field_operation; field_operation_validators.py, rdma_config_update_validator,
//     buffer_profile_config_update_validator; gcu_field_operation_validators.conf.json)
//   - no table is left empty, and references between tables and what has to be there are checked (gu_common.py,
//     get_empty_tables, validate_config_db_config)
//   - two patches are not kept apart: see MakeBeside (generic_updater.py, ConfigLock, PatchApplier.apply)
//
// With a [Manager] it has a buffer manager, which acts on CONFIG_DB at boot, when ports go down and up, and when
// cables and PFC change. What it has not: the other rules of the YANG models, users and what they may do, and anything
// below CONFIG_DB but what the manager applies.
package sonicfake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Switch is a switch. Set its fields before it serves.
type Switch struct {
	gpb.UnimplementedGNMIServer

	ASIC    string // the updater's name of the chip; empty: its HwSKU is in no list
	Branch  int    // of the updater, such as 202511
	Version string // what it tells of its build; empty: it does not serve that
	// ReadOnly is a server that was started without gnmi_translib_write and gnmi_native_write.
	ReadOnly bool
	// OnlyModels is a server that was started with gnmi_translib_write and without gnmi_native_write.
	OnlyModels bool
	// Blocked are the lines of its list of blocked paths: "CONFIG_DB /BUFFER_POOL".
	Blocked []string
	// Lost is how often a Get of a table is answered as if it were not there.
	Lost map[string]int
	// Manager is the buffer manager, or nil. Start it with Boot.
	Manager *Manager
	// Fault is called for each Set that arrives, in place of making it; nil: it is made.
	Fault func(*Arrived) error

	mu    sync.Mutex
	db    DB
	saved DB                // config_db.json, which a reboot loads
	check DB                // the checkpoint, which Gets of sonic-db are answered from; nil: none
	busy  []*gpb.SetRequest // patches that the host service goes on with, unanswered
	sets  int
	downs map[string]int
	news  chan struct{} // closed when the configuration changes

	counters map[string]map[string]string // COUNTERS_DB: fields by key
	names    *names                       // of COUNTERS_DB; nil: not read yet
}

// New makes a switch with a configuration.
func New(db DB) *Switch {
	return &Switch{db: clone(db), saved: clone(db), Branch: 202511, news: make(chan struct{})}
}

// write replaces the configuration; the lock is held.
func (s *Switch) write(db DB) {
	s.db = db
	close(s.news)
	s.news = make(chan struct{})
}

// Arrived is a Set that has arrived.
type Arrived struct {
	Context context.Context
	N       int // counted from 1
	s       *Switch
	req     *gpb.SetRequest
}

// Make makes the Set as the switch does, saves it, and removes the checkpoint, that of an earlier Set too: they are one
// file.
func (a *Arrived) Make() error {
	err := a.s.make(a.req)
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.check = nil
	if err == nil {
		a.s.saved = clone(a.s.db)
	}
	return err
}

// Half makes the first half of each kind of operation, and leaves out what the updater would say to it.
func (a *Arrived) Half() {
	half := &gpb.SetRequest{Prefix: a.req.Prefix, Delete: a.req.Delete[:len(a.req.Delete)/2],
		Replace: a.req.Replace[:len(a.req.Replace)/2], Update: a.req.Update[:(len(a.req.Update)+1)/2]}
	db, err := patched(a.s.Config(), half)
	if err == nil {
		a.s.Load(db)
	}
}

// Config is what the switch has.
func (s *Switch) Config() DB {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clone(s.db)
}

// Load replaces what the switch has, as a reload does.
func (s *Switch) Load(db DB) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(clone(db))
}

// Sets is how many Sets have arrived.
func (s *Switch) Sets() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sets
}

// Downs is how often the updater has taken each port down to change what is its own.
func (s *Switch) Downs() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.downs)
}

// Capabilities lists models of the translation library, as the server does.
func (s *Switch) Capabilities(context.Context, *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	return &gpb.CapabilityResponse{GNMIVersion: "0.7.0",
		SupportedEncodings: []gpb.Encoding{gpb.Encoding_JSON, gpb.Encoding_JSON_IETF, gpb.Encoding_PROTO},
		SupportedModels: []*gpb.ModelData{{Name: "openconfig-acl", Organization: "OpenConfig working group",
			Version: "1.0.2"}, {Name: "sonic-acl", Organization: "SONiC", Version: "1.0.0"}}}, nil
}

// Get answers for CONFIG_DB, and for the version of the build.
func (s *Switch) Get(_ context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.GetType() != gpb.GetRequest_ALL {
		return nil, status.Errorf(codes.Unimplemented, "unsupported request type: %v", req.GetType())
	}
	out := &gpb.GetResponse{}
	for _, p := range req.GetPath() {
		value, err := s.get(req, p)
		if err != nil {
			return nil, status.Error(codes.NotFound, err.Error())
		}
		if err := s.blocks(req.GetPrefix(), p); err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		out.Notification = append(out.Notification,
			&gpb.Notification{Prefix: req.GetPrefix(), Update: []*gpb.Update{{Path: p, Val: jsonValue(value)}}})
	}
	return out, nil
}

func jsonValue(v any) *gpb.TypedValue {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of maps and texts
	}
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}
}

func (s *Switch) get(req *gpb.GetRequest, p *gpb.Path) (any, error) {
	if req.GetPrefix().GetTarget() == "OTHERS" {
		if s.Version == "" {
			return nil, errors.New("invalid path")
		}
		return map[string]string{"build_version": s.Version, "error": ""}, nil
	}
	if req.GetPrefix().GetTarget() == "COUNTERS_DB" {
		return s.counted(req.GetPrefix(), p)
	}
	if req.GetPrefix().GetTarget() == "CONFIG_DB" {
		return s.fromRedis(req.GetPrefix(), p)
	}
	if req.GetPrefix().GetOrigin() != "sonic-db" && p.GetOrigin() != "sonic-db" {
		return nil, fmt.Errorf("origin %q: unsupported yang path", req.GetPrefix().GetOrigin())
	}
	path, err := inConfig(req.GetPrefix(), p)
	if err != nil {
		return nil, err
	}
	if err := s.lost(path); err != nil {
		return nil, err
	}
	if s.check != nil {
		if kept, err := s.check.at(path); err == nil {
			return kept, nil
		}
	}
	if len(path) == 1 && len(s.db[path[0]]) == 0 {
		if hasKeys(s.db, path[0]) {
			return nil, nil
		}
		//lint:ignore ST1005 the text is that of the server
		return nil, fmt.Errorf("Failed to find CONFIG_DB %s <nil> []", path[0])
	}
	return s.db.at(path)
}

// fromRedis answers for the target CONFIG_DB (db_client.go): of a table without entries no key is found.
func (s *Switch) fromRedis(prefix, p *gpb.Path) (any, error) {
	var path []string
	for _, e := range append(slices.Clone(prefix.GetElem()), p.GetElem()...) {
		path = append(path, e.GetName())
	}
	if len(path) == 0 || len(path) > 3 {
		//lint:ignore ST1005 the text is that of the server
		return nil, fmt.Errorf("Invalid db table Path %v", path)
	}
	if err := s.lost(path); err != nil {
		return nil, err
	}
	if len(path) == 1 && len(s.db[path[0]]) == 0 {
		return struct{}{}, nil
	}
	return s.db.at(path)
}

// lost is the error of a table that is answered as if it were not there.
func (s *Switch) lost(path []string) error {
	if len(path) > 0 && s.Lost[path[0]] > 0 {
		s.Lost[path[0]]--
		return errors.New("redis Keys failed")
	}
	return nil
}

// inConfig is what follows the database and the namespace.
func inConfig(prefix, p *gpb.Path) ([]string, error) {
	var out []string
	for _, e := range append(slices.Clone(prefix.GetElem()), p.GetElem()...) {
		out = append(out, e.GetName())
	}
	if len(out) < 2 {
		return nil, errors.New("invalid elem length")
	}
	switch {
	case out[0] != "CONFIG_DB":
		return nil, errDatabase
	case out[1] != "localhost":
		return nil, errors.New("target conflict in path")
	}
	return out[2:], nil
}

// errDatabase is of a path of another database.
var errDatabase = errors.New("not CONFIG_DB")

// Set makes a patch of the request, or what the fault makes of it.
func (s *Switch) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	s.mu.Lock()
	s.sets++
	n := s.sets
	s.mu.Unlock()
	if s.ReadOnly {
		return nil, status.Error(codes.Unimplemented, "GNMI is in read-only mode")
	}
	if err := s.admit(req); err != nil {
		return nil, err
	}
	a := &Arrived{Context: ctx, N: n, s: s, req: req}
	fault := s.Fault
	if fault == nil {
		fault = (*Arrived).Make
	}
	if err := fault(a); err != nil {
		if _, ok := status.FromError(err); !ok {
			err = status.FromContextError(err).Err() // Unknown, unless the time of the request ran out
		}
		return nil, err
	}
	return &gpb.SetResponse{Prefix: req.GetPrefix()}, nil
}

// admit refuses what does not come as far as the database.
func (s *Switch) admit(req *gpb.SetRequest) error {
	paths := slices.Clone(req.GetDelete())
	for _, u := range slices.Concat(req.GetReplace(), req.GetUpdate()) {
		paths = append(paths, u.GetPath())
	}
	if err := s.blocks(req.GetPrefix(), paths...); err != nil {
		return err
	}
	origin := req.GetPrefix().GetOrigin()
	for i, p := range paths {
		switch {
		case req.GetPrefix().GetOrigin() == "" && i == 0:
			origin = p.GetOrigin()
		case req.GetPrefix().GetOrigin() == "" && p.GetOrigin() != origin:
			return status.Error(codes.Unimplemented, "Origin conflict in path")
		}
	}
	switch {
	case origin != "sonic-db":
		return status.Error(codes.Unimplemented, "Translib write is disabled")
	case s.OnlyModels:
		return status.Error(codes.Unimplemented, "GNMI native write is disabled")
	}
	for _, p := range paths {
		path, err := inConfig(req.GetPrefix(), p)
		switch {
		case errors.Is(err, errDatabase):
			return status.Errorf(codes.Unknown, "Set RPC does not support %s", slices.Concat(req.GetPrefix().GetElem(),
				p.GetElem())[0].GetName())
		case err != nil:
			return status.Error(codes.NotFound, err.Error())
		case len(path) == 0:
			return status.Error(codes.Unknown, "a full configuration is not what a test sends")
		}
	}
	return nil
}

// make is the updater: the patch is simulated, its effect judged, and written.
func (s *Switch) make(req *gpb.SetRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	after, err := s.simulated(req)
	if err != nil {
		return err
	}
	s.write(s.changed(s.db, after))
	return nil
}

// simulated is what the configuration becomes, if the updater permits it. It counts the ports that go down for it.
func (s *Switch) simulated(req *gpb.SetRequest) (DB, error) {
	after, err := patched(s.db, req)
	if err != nil {
		return nil, err
	}
	for _, d := range differences(s.db, after) {
		if why := s.judge(d); why != "" {
			return nil, fmt.Errorf("modification of %s table is illegal- %s (%s %s)", d.path[0], why, d.op,
				strings.Join(d.path, "/"))
		}
	}
	if err := consistent(after); err != nil {
		return nil, err
	}
	if s.downs == nil {
		s.downs = map[string]int{}
	}
	for port := range touched(s.db, after) {
		s.downs[port]++
	}
	return after, nil
}
