package pushworld

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// flat writes a JSON value as content: a value for each leaf, named by its path.
func flat(path string, v any) Content {
	out := Content{}
	var walk func(string, any)
	walk = func(path string, v any) {
		if object, ok := v.(map[string]any); ok {
			for name, inner := range object {
				walk(path+"/"+name, inner)
			}
			return
		}
		out[path] = string(must(json.Marshal(v)))
	}
	walk(path, v)
	return out
}

// flatJSON is flat of a text; none: nothing.
func flatJSON(path, text string) Content {
	if text == "" {
		return Content{}
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		panic(err) // the engine writes JSON
	}
	return flat(path, v)
}

// within tells whether a path is that of a node, or beneath it.
func within(path, node string) bool {
	rest, ok := strings.CutPrefix(path, node)
	return ok && (rest == "" || rest[0] == '/')
}

// pathText writes a path as nos.Text does.
func pathText(p *gpb.Path) string {
	var b strings.Builder
	for _, e := range p.GetElem() {
		b.WriteString("/" + e.GetName())
		for key, v := range e.GetKey() {
			b.WriteString("[" + key + "=" + v + "]")
		}
	}
	return b.String()
}

// leaves is a switch that holds native configuration beneath /qos, as SR Linux and EOS do:
// it stores what it is told, and has no transactions but a Set.
type leaves struct {
	commitTimer
	has   Content
	plans []nativePlan
}

var _ machine = (*leaves)(nil)

// read answers a Capabilities or a Get of /qos.
func (s *leaves) read(req proto.Message) (proto.Message, error) {
	if _, ok := req.(*gpb.CapabilityRequest); ok {
		return &gpb.CapabilityResponse{GNMIVersion: "0.10.0", SupportedEncodings: []gpb.Encoding{gpb.Encoding_JSON_IETF},
			SupportedModels: []*gpb.ModelData{{Name: "srl_nokia-qos"}, {Name: "openconfig-qos", Version: "2.2.0"}}}, nil
	}
	get := req.(*gpb.GetRequest)
	n := &gpb.Notification{}
	if tree, ok := nested(s.has)["qos"]; ok {
		n.Update = []*gpb.Update{{Path: get.GetPath()[0], Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{
			JsonIetfVal: must(json.Marshal(tree))}}}}
	} else {
		return nil, status.Error(codes.NotFound, "nothing is there")
	}
	return &gpb.GetResponse{Notification: []*gpb.Notification{n}}, nil
}

// nested is content as a tree of objects and lists.
func nested(c Content) map[string]any {
	root := map[string]any{}
	for _, path := range slices.Sorted(maps.Keys(c)) {
		at := root
		elements := strings.Split(path, "/")[1:]
		for i, e := range elements {
			name, key, isEntry := strings.Cut(strings.TrimSuffix(e, "]"), "[")
			switch {
			case i == len(elements)-1:
				at[name] = json.RawMessage(c[path])
			case isEntry:
				at = entry(at, name, key)
			default:
				if at[name] == nil {
					at[name] = map[string]any{}
				}
				at = at[name].(map[string]any)
			}
		}
	}
	return root
}

// entry is the entry of a list, which is made if it is not there.
func entry(at map[string]any, name, key string) map[string]any {
	leaf, value, _ := strings.Cut(key, "=")
	list, _ := at[name].([]any)
	for _, e := range list {
		if e := e.(map[string]any); e[leaf] == value {
			return e
		}
	}
	e := map[string]any{leaf: value}
	at[name] = append(list, e)
	return e
}

func (s *leaves) once(*gpb.SubscribeRequest) ([]*gpb.SubscribeResponse, error) {
	return nil, status.Error(codes.Unimplemented, "ONCE")
}

func (s *leaves) set(req *gpb.SetRequest) (*gpb.SetResponse, *time.Duration, error) {
	return s.commitTimer.set(req, s.has, func() {
		s.has = s.after(req, len(req.GetDelete()), len(req.GetReplace()),
			len(req.GetUpdate()))
	}, func(c Content) { s.has = c })
}

// after is the content after the first operations of each kind of a Set.
func (s *leaves) after(req *gpb.SetRequest, deletes, replaces, updates int) Content {
	out := maps.Clone(s.has)
	remove := func(path string) {
		maps.DeleteFunc(out, func(p, _ string) bool { return within(p, path) })
	}
	for _, p := range req.GetDelete()[:deletes] {
		remove(pathText(p))
	}
	for _, u := range req.GetReplace()[:replaces] {
		remove(pathText(u.GetPath()))
		maps.Copy(out, flatJSON(pathText(u.GetPath()), string(u.GetVal().GetJsonIetfVal())))
	}
	for _, u := range req.GetUpdate()[:updates] {
		maps.Copy(out, flatJSON(pathText(u.GetPath()), string(u.GetVal().GetJsonIetfVal())))
	}
	return out
}

// half makes half of the operations.
func (s *leaves) half(req *gpb.SetRequest) bool {
	if s.waits() || len(req.GetExtension()) > 0 {
		return false
	}
	s.has = s.after(req, len(req.GetDelete())/2, len(req.GetReplace())/2, (len(req.GetUpdate())+1)/2)
	return true
}

func (s *leaves) expire() { s.cancel(func(c Content) { s.has = c }) }

func (s *leaves) content() Content { return s.has }

// console sets a value of a plan, or takes one away.
func (s *leaves) console(by *scheduler) bool {
	u := s.plans[by.IntN(len(s.plans))].updates
	one := u[by.IntN(len(u))]
	next := maps.Clone(s.has)
	path := nos.Text(one.Path)
	if by.oneIn(3) {
		maps.DeleteFunc(next, func(p, _ string) bool { return within(p, path) })
	} else {
		maps.Copy(next, flatJSON(path, string(one.JSON)))
	}
	s.has = next
	return true
}

// commitTimer is Commit-confirmed of a switch that holds content.
type commitTimer struct {
	pending string // id of the commit that waits; empty: none
	before  Content
}

func (c *commitTimer) waits() bool { return c.pending != "" }

// cancel returns to what was before the commit.
func (c *commitTimer) cancel(restore func(Content)) {
	restore(c.before)
	c.pending, c.before = "", nil
}

// set makes a Set, and does what its commit extension says (gnmi-commit-confirmed.md).
func (c *commitTimer) set(req *gpb.SetRequest, now Content, change func(),
	restore func(Content)) (*gpb.SetResponse, *time.Duration, error) {
	var commit *gnmi_ext.Commit
	for _, e := range req.GetExtension() {
		commit = e.GetCommit()
	}
	var wait *time.Duration
	begin, begins := commit.GetAction().(*gnmi_ext.Commit_Commit)
	switch {
	case commit == nil && !c.waits():
		change()
	case commit == nil, begins && c.waits():
		return nil, nil, status.Error(codes.FailedPrecondition, "a commit waits to be confirmed")
	case begins:
		c.pending, c.before = commit.GetId(), now
		wait = new(begin.Commit.GetRollbackDuration().AsDuration())
		change()
	case !c.waits():
		return nil, nil, status.Error(codes.FailedPrecondition, "no commit waits")
	case commit.GetId() != c.pending:
		return nil, nil, status.Error(codes.InvalidArgument, "another commit waits")
	default:
		wait = new(time.Duration)
		if _, ok := commit.GetAction().(*gnmi_ext.Commit_Cancel); ok {
			c.cancel(restore)
		} else {
			c.pending, c.before = "", nil
		}
	}
	return &gpb.SetResponse{Prefix: req.GetPrefix()}, wait, nil
}

// nativePlan is a plan as native configuration.
type nativePlan struct {
	name    string
	updates []nos.Update
}

// leafPlans are plans of a few values beneath /qos, in two phases, that overlap.
func leafPlans() []nativePlan {
	type value struct {
		name  string
		size  int // 0: it is deleted
		phase int
	}
	make := func(name string, values ...value) nativePlan {
		p := nativePlan{name: name}
		for _, v := range values {
			u := nos.Update{Path: []nos.Elem{{Name: "qos"}, {Name: "profiles"},
				{Name: "profile", Key: "name", Value: v.name}, {Name: "config"}}, Phase: v.phase}
			if v.size > 0 {
				u.JSON = fmt.Appendf(nil, `{"size":%d,"on":true}`, v.size)
			}
			p.updates = append(p.updates, u)
		}
		return p
	}
	return []nativePlan{
		make("a", value{"p1", 10, 0}, value{"p2", 20, 1}),
		make("b", value{"p1", 20, 0}, value{"p2", 10, 1}, value{"p3", 0, 1}),
		make("c", value{"p1", 30, 0}),
		make("d", value{"p3", 10, 0}, value{"p2", 30, 1}),
		make("e", value{"p2", 0, 0}, value{"p3", 20, 1}),
	}
}

// updater is a switch that behaves as SONiC does: package sonictest.
type updater struct {
	*sonicfake.Switch
	shown Content // what it holds; nil: it has changed since
}

var _ machine = (*updater)(nil)

func (s *updater) read(req proto.Message) (proto.Message, error) {
	if req, ok := req.(*gpb.CapabilityRequest); ok {
		return s.Switch.Capabilities(context.Background(), req)
	}
	return orNil(s.Switch.Get(context.Background(), req.(*gpb.GetRequest)))
}

// readCheckpoint answers a Get of Redis as one of the origin sonic-db, which is answered from a checkpoint.
func (s *updater) readCheckpoint(req proto.Message) (proto.Message, error) {
	get, ok := req.(*gpb.GetRequest)
	if !ok || get.GetPrefix().GetTarget() != "CONFIG_DB" {
		return s.read(req)
	}
	of := proto.CloneOf(get)
	of.Prefix = &gpb.Path{Origin: sonic.Origin, Elem: []*gpb.PathElem{{Name: "CONFIG_DB"}, {Name: "localhost"}}}
	reply, err := s.Switch.Get(context.Background(), of)
	if err != nil {
		return s.read(req) // an empty table is not found there
	}
	for _, n := range reply.GetNotification() {
		n.Prefix = get.GetPrefix()
	}
	return reply, nil
}

// orNil keeps an answer that is nil from being a message that is.
func orNil(m *gpb.GetResponse, err error) (proto.Message, error) {
	if m == nil {
		return nil, err
	}
	return m, err
}

func (s *updater) once(*gpb.SubscribeRequest) ([]*gpb.SubscribeResponse, error) {
	return nil, status.Error(codes.Unimplemented, "ONCE")
}

func (s *updater) set(req *gpb.SetRequest) (*gpb.SetResponse, *time.Duration, error) {
	s.Switch.Fault, s.shown = nil, nil
	resp, err := s.Switch.Set(context.Background(), req)
	return resp, nil, err
}

// half makes half of a Set, with its checkpoint, which stays where the host service dies.
func (s *updater) half(req *gpb.SetRequest) bool {
	s.shown = nil
	s.Checkpoint()
	s.Switch.Fault = func(a *sonicfake.Arrived) error { a.Half(); return nil }
	_, err := s.Switch.Set(context.Background(), req)
	return err == nil
}

func (s *updater) expire()     {}
func (s *updater) waits() bool { return false }

func (s *updater) content() Content {
	if s.shown != nil {
		return s.shown
	}
	out := Content{}
	for table, entries := range s.Config() {
		for key, fields := range entries {
			for field, v := range fields {
				out["/CONFIG_DB/localhost/"+table+"/"+key+"/"+field] = string(must(json.Marshal(v)))
			}
		}
	}
	s.shown = out
	return out
}

// console changes the length of a cable.
func (s *updater) console(by *scheduler) bool {
	db := s.Config()
	if db["CABLE_LENGTH"]["AZURE"] == nil {
		return false
	}
	db["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = []string{"5m", "40m", "300m"}[by.IntN(3)]
	s.Load(db)
	s.shown = nil
	return true
}

// renders records what a rendering makes of a switch.
func (j *job) renders(updates []nos.Update) {
	j.planned, j.nodes = Content{}, nil
	for _, u := range updates {
		path := nos.Text(u.Path)
		j.nodes = append(j.nodes, path)
		maps.Copy(j.planned, flatJSON(path, string(u.JSON)))
	}
}

// deletes tells whether the plan deletes a native value.
func (j *job) deletes(node string) bool {
	return slices.Contains(j.nodes, node) && !slices.ContainsFunc(slices.Collect(maps.Keys(j.planned)),
		func(leaf string) bool { return within(leaf, node) && j.planned[leaf] != "" })
}

// beginning is what the changes of native values say of the switch before.
func (j *job) beginning(changes []native.Change) Content {
	before := Content{}
	j.changed = nil
	for _, c := range changes {
		j.changed = append(j.changed, c.Path)
		from := flatJSON(c.Path, c.From)
		maps.Copy(before, from)
		for leaf := range from {
			if c.To == "" {
				j.planned[leaf] = "" // it is deleted
			}
		}
	}
	return before
}
