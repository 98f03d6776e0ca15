package native_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/nos/srlinux"
	"github.com/cellwarden/cellwarden/unit"
)

// tree is a switch that holds JSON by path, and answers with the module before
// the members of its root as RFC 7951 writes them.
type tree struct {
	gpb.UnimplementedGNMIServer
	mu     sync.Mutex
	module string
	origin string
	root   map[string]any
	sets   int
	fault  func(n int, make func()) error
}

func (s *tree) Get(_ context.Context, req *gpb.GetRequest) (*gpb.GetResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if req.GetPrefix().GetOrigin() != s.origin || req.GetType() != gpb.GetRequest_CONFIG {
		return nil, status.Error(codes.InvalidArgument, "origin or type")
	}
	if s.root["qos"] == nil {
		return nil, status.Error(codes.NotFound, "nothing")
	}
	value := map[string]any{}
	for name, v := range s.root["qos"].(map[string]any) {
		value[s.module+":"+name] = v
	}
	data, _ := json.Marshal(value)
	return &gpb.GetResponse{Notification: []*gpb.Notification{{Update: []*gpb.Update{{Path: req.GetPath()[0],
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}}}}}}, nil
}

func (s *tree) Set(_ context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sets++
	apply := func() {
		for _, p := range req.GetDelete() {
			s.write(p, nil)
		}
		for i, u := range append(req.GetReplace(), req.GetUpdate()...) {
			var v any
			if err := json.Unmarshal(u.GetVal().GetJsonIetfVal(), &v); err != nil {
				panic(err)
			}
			if i < len(req.GetReplace()) {
				s.write(u.GetPath(), nil)
			}
			s.write(u.GetPath(), v)
		}
	}
	if s.fault != nil {
		return &gpb.SetResponse{}, s.fault(s.sets, apply)
	}
	apply()
	return &gpb.SetResponse{}, nil
}

// write puts a value at a path, and makes what is missing on the way.
func (s *tree) write(p *gpb.Path, v any) {
	at := s.root
	for i, e := range p.GetElem() {
		last := i == len(p.GetElem())-1
		if len(e.GetKey()) == 0 {
			if last && v == nil {
				delete(at, e.GetName())
				return
			} else if last {
				at[e.GetName()] = v
				return
			}
			if at[e.GetName()] == nil {
				at[e.GetName()] = map[string]any{}
			}
			at = at[e.GetName()].(map[string]any)
			continue
		}
		list, _ := at[e.GetName()].([]any)
		found := -1
		for j, item := range list {
			for k, want := range e.GetKey() {
				if item.(map[string]any)[k] == want {
					found = j
				}
			}
		}
		switch {
		case found < 0 && last && v == nil:
			return
		case found < 0:
			entry := map[string]any{}
			for k, want := range e.GetKey() {
				entry[k] = want
			}
			list, found = append(list, entry), len(list)
		case last && v == nil:
			at[e.GetName()] = append(list[:found:found], list[found+1:]...)
			return
		}
		at[e.GetName()] = list
		if last {
			for name, inner := range v.(map[string]any) {
				list[found].(map[string]any)[name[strings.Index(name, ":")+1:]] = inner
			}
			return
		}
		at = list[found].(map[string]any)
	}
}

func (s *tree) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, _ := json.Marshal(s.root)
	return string(data)
}

// fixedDialects are the dialects that are pushed and do not depend on what the switch has.
var fixedDialects = map[string]struct {
	module, origin string
	ports          []string
	render         func(nos.Plan) *nos.Rendering
	has, loses     string // of a port with lossless groups, and of one that has lost them
}{
	"srlinux": {"srl_nokia-qos", "", []string{"ethernet-1/1", "ethernet-1/2"}, srlinux.System.Render,
		`"pfc":{"pfc-enable":true,"pfc-mapping-profile":"cellwarden-3-4"}`, `"pfc":{}`},
	"eos": {"openconfig-qos", "openconfig", []string{"Ethernet1/1", "Ethernet2/1"}, eos.System.Render,
		`"priorities-no-drop":"18"`, `"config":{}`},
}

// All dialects of package native are pushed, or say why they are not.
func TestEveryDialectIsPushedOrSaysWhy(t *testing.T) {
	for _, d := range registry.Dialects() {
		_, fixed := fixedDialects[d]
		l, err := native.New(d, planned(t, 40*unit.Metre, "Ethernet0"), sonic.Options{})
		require.NoError(t, err)
		require.Equal(t, fixed || d == "sonic", l.Unread().NotSent == "", d)
	}
}

// SR Linux and EOS get what their dialects write, once; a port that loses its
// lossless class loses PFC; what else the switch has stays.
func TestFixed(t *testing.T) {
	for _, c := range fixedDialects {
		s := &tree{module: c.module, origin: c.origin, root: map[string]any{}}
		client := served(t, s, 0)
		plan := planned(t, 40*unit.Metre, c.ports...)
		p, err := push(t, client, &native.Fixed{Rendering: c.render(plan)})
		require.NoError(t, err)
		require.Equal(t, backend.Applied, p.Report.State)
		require.Equal(t, 2, strings.Count(s.text(), c.has), s.text())
		p, err = push(t, client, &native.Fixed{Rendering: c.render(plan)})
		require.NoError(t, err)
		require.Equal(t, backend.Unchanged, p.Report.State, "the second time nothing is sent: %v", p.Report.Changes)

		s.root["qos"].(map[string]any)["somebody"] = "else's"
		plan.Intent.Ports[1].Classes = 0b10
		plan.Layout = planned(t, 40*unit.Metre, c.ports[0]).Layout
		second := planned(t, 40*unit.Metre, c.ports...)
		for _, r := range second.Layout {
			if r.Port == c.ports[1] && r.Index == 0 {
				plan.Layout = append(plan.Layout, r)
			}
		}
		_, err = push(t, client, &native.Fixed{Rendering: c.render(plan)})
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(s.text(), c.has), s.text())
		require.Contains(t, s.text(), c.loses)
		require.Contains(t, s.text(), "else's")
	}
}

// After a fault the values that were there are there again.
func TestFixedFaults(t *testing.T) {
	start := map[string]any{"interfaces": map[string]any{"interface": []any{map[string]any{"interface-id": "Ethernet1/1",
		"config": map[string]any{"interface-id": "Ethernet1/1"},
		"output": map[string]any{"pfc": map[string]any{"config": map[string]any{"priorities-no-drop": "1"}},
			"mine": "yes"}}}}}
	for _, c := range []struct {
		fault func(int, func()) error
		state backend.State
	}{
		{func(n int, make func()) error {
			make()
			if n == 1 {
				return errors.New("later")
			}
			return nil
		}, backend.RolledBack},
		{func(int, func()) error { return status.Error(codes.InvalidArgument, "no") }, backend.Refused},
		{func(n int, make func()) error {
			if n == 1 {
				make()
			}
			return errors.New("broken")
		}, backend.Partial},
	} {
		s := &tree{module: "openconfig-qos", origin: "openconfig", root: map[string]any{"qos": maps.Clone(start)},
			fault: c.fault}
		data, err := json.Marshal(start)
		require.NoError(t, err)
		var own map[string]any
		require.NoError(t, json.Unmarshal(data, &own))
		s.root["qos"] = own
		p, err := push(t, served(t, s, 0), &native.Fixed{Rendering: eos.System.Render(planned(t, 40*unit.Metre,
			"Ethernet1/1"))})
		require.Error(t, err)
		require.Equal(t, c.state, p.Report.State, "%v", err)
		require.Equal(t, c.state == backend.Partial, strings.Contains(s.text(), `"18"`), s.text())
		require.Contains(t, s.text(), `"mine":"yes"`)
	}
}

// What is not sent says why.
func TestNotSent(t *testing.T) {
	s := &tree{module: "junos", root: map[string]any{}}
	_, err := native.Look(t.Context(), served(t, s, 0),
		&native.Fixed{Rendering: junos.System.Render(planned(t, 40*unit.Metre, "et-0/0/0"))})
	require.ErrorIs(t, err, native.ErrNotSent)
	require.ErrorContains(t, err, "rendered only")
	require.Zero(t, s.sets)
}

// A value that was as planned when the switch was first read is compared in the end, too: others may
// have changed it meanwhile.
func TestAllOfThePlanIsCompared(t *testing.T) {
	profile := func(name string) []nos.Elem {
		return []nos.Elem{{Name: "qos"}, {Name: "profile", Key: "name", Value: name}, {Name: "config"}}
	}
	update := func(name string) nos.Update {
		return nos.Update{Path: profile(name), JSON: []byte(`{"size":10}`)}
	}
	s := &tree{module: "openconfig-qos", root: map[string]any{"qos": map[string]any{
		"profile": []any{map[string]any{"name": "b", "config": map[string]any{"size": 10}}}}}}
	s.fault = func(n int, make func()) error {
		if make(); n == 1 { // someone else
			s.root["qos"].(map[string]any)["profile"].([]any)[0].(map[string]any)["config"] = map[string]any{"size": 20}
		}
		return nil
	}
	client := served(t, s, 0)
	p, err := push(t, client, &native.Fixed{Rendering: &nos.Rendering{Updates: []nos.Update{update("a"),
		update("b")}}})
	require.Len(t, p.Report.Changes, 1, "b has its value")
	require.ErrorIs(t, err, backend.ErrMismatch)
	require.Equal(t, backend.Partial, p.Report.State)
	require.Len(t, p.Report.Others, 1)
	require.Contains(t, p.Report.Others[0].Path, "profile[name=b]")
}
