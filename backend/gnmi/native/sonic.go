package native

import (
	"context"
	"encoding/json"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// SONiC speaks CONFIG_DB, origin sonic-db (sonic-gnmi 5ec1c20b): Get of type ALL alone; all paths of a Set in one
// database and namespace, which becomes one JSON patch for the configuration updater; the updater saves what it took.
type SONiC struct {
	Plan    nos.Plan
	Options sonic.Options // Current is read from the switch; Release too, if it is empty and the switch tells it

	version string // that the switch reported; empty: none
}

// Version is the version of the build that the switch reported; empty: none.
func (s *SONiC) Version() string { return s.version }

// Unread renders the plan for a switch that has not been read.
func (s *SONiC) Unread() *nos.Rendering { return s.Options.Render(s.Plan) }

// probe asks for the release. Whether a switch serves it is up to its
// build; without an answer the release stays unknown.
func (s *SONiC) probe(ctx context.Context, client *gnmi.Client) {
	if s.Options.Release != "" {
		return
	}
	answer, err := client.Get(ctx, &gpb.GetRequest{Prefix: &gpb.Path{Target: "OTHERS"},
		Path: []*gpb.Path{{Elem: []*gpb.PathElem{{Name: "osversion"}, {Name: "build"}}}}, Type: gpb.GetRequest_ALL,
		Encoding: gpb.Encoding_JSON_IETF})
	if err != nil {
		return
	}
	var version struct {
		Build string `json:"build_version"`
	}
	for _, v := range jsontree.Updates(answer.GetNotification()) {
		_ = json.Unmarshal(v.GetJsonIetfVal(), &version) // what is not understood is not known
	}
	s.version = version.Build
	s.Options.Release, _ = sonic.ParseRelease(version.Build)
}

// reads asks for the tables. Every SONiC has DEVICE_METADATA and PORT: they show that reading works.
func (s *SONiC) reads() []reading {
	out := []reading{{sonic.Origin, sonic.Path("DEVICE_METADATA"), gpb.GetRequest_ALL, true},
		{sonic.Origin, sonic.Path("PORT"), gpb.GetRequest_ALL, true}}
	for _, name := range sonic.Tables() {
		if name != "DEVICE_METADATA" && name != "PORT" {
			out = append(out, reading{sonic.Origin, sonic.Path(name), gpb.GetRequest_ALL, false})
		}
	}
	return out
}

func (s *SONiC) overwrites() bool { return true }

// render renders the plan for what the switch has.
func (s *SONiC) render(now Trees) (*nos.Rendering, error) {
	o := s.Options
	var err error
	if o.Current, err = now.database(); err == nil {
		err = s.Ports(o.Current)
	}
	if err != nil {
		return nil, err
	}
	return o.Render(s.Plan), nil
}

// Ports refuses a plan with ports that are not in the switch's configuration: backend.ErrIdentity.
func (s *SONiC) Ports(now sonic.Database) error {
	var missing []string
	for _, p := range s.Plan.Ports() {
		if now["PORT"][p.Name] == nil {
			missing = append(missing, p.Name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w: the switch has no ports %s", backend.ErrIdentity, buffer.FoldPorts(missing))
	}
	if why := sonic.OtherChip(s.Plan.Intent.Chip.Name, now); why != "" {
		return fmt.Errorf("%w: %s", backend.ErrIdentity, why)
	}
	return nil
}

// ConfigDB reads tables of a SONiC switch as one document of JSON, as config_db.json has them. PORT has to be there: it
// shows that reading works. A table that the switch does not have is left out.
func ConfigDB(ctx context.Context, client *gnmi.Client, tables []string) ([]byte, error) {
	d := device{Client: client, language: wanted(tables)}
	now, err := d.Read(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, b := range now {
		if b.tree != nil {
			out[b.path[len(b.path)-1].Name] = b.tree
		}
	}
	return json.MarshalIndent(out, "", "  ")
}

// wanted are tables that are read and not compared with a plan.
type wanted []string

func (wanted) render(Trees) (*nos.Rendering, error) { return nil, nil }
func (wanted) overwrites() bool                     { return true }

func (w wanted) reads() []reading {
	out := []reading{{sonic.Origin, sonic.Path("PORT"), gpb.GetRequest_ALL, true}}
	for _, name := range w {
		if name != "PORT" {
			out = append(out, reading{sonic.Origin, sonic.Path(name), gpb.GetRequest_ALL, false})
		}
	}
	return out
}
