package native

import (
	"context"
	"encoding/json"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

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
