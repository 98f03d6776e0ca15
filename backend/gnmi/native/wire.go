package native

import (
	"context"
	"errors"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/internal/asked"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Read reads the switch. If others are at work, what they have changed of the plan since the first reading joins the
// plan.
func (d *device) Read(ctx context.Context) (Trees, error) {
	now, err := d.readAll(ctx)
	if err != nil || !d.beside || len(d.Diff(now)) > 0 {
		return now, err
	}
	r, err := d.language.render(now)
	if err != nil || r == nil { // the plan of a push that is resumed is its journal
		return now, err
	}
	d.plan = append(d.plan, values(r.Updates, now.at)...)
	return now, nil
}

// readAll reads all that the language asks for. A switch answers NotFound for what it does not have; SONiC does for
// everything that fails. So what is required is read first, and what is not found after it is asked for again before it
// is believed: a table that is not there is written as a whole.
func (d *device) readAll(ctx context.Context) (Trees, error) {
	var out Trees
	for _, r := range d.language.reads() {
		b, err := d.readOne(ctx, r)
		if codeOf(err) == codes.NotFound && !r.required {
			b, err = d.readOne(ctx, r)
		}
		switch {
		case err == nil && b.tree == nil && r.required:
			return nil, fmt.Errorf("%s has nothing at %s: it is not the kind of switch that its profile describes",
				d.Name(), nos.Text(r.path))
		case err == nil:
			out = append(out, b)
		case codeOf(err) == codes.NotFound && !r.required:
			out = append(out, branch{path: r.path})
		default:
			return nil, fmt.Errorf("%s: %w", nos.Text(r.path), err)
		}
	}
	return out, nil
}

// readOne is one Get.
func (d *device) readOne(ctx context.Context, r reading) (branch, error) {
	prefix, path := source(d.Client, r)
	request := &gpb.GetRequest{Prefix: prefix, Path: []*gpb.Path{{Elem: elems(path)}}, Type: r.kind,
		Encoding: gpb.Encoding_JSON_IETF}
	answer, err := d.Get(ctx, request)
	if err != nil {
		return branch{}, err
	}
	switch {
	case len(answer.GetNotification()) > 0:
	case r.origin == sonic.Origin && !r.required:
		// A table without entries is answered so if another table's name begins with its own, and with NotFound otherwise
		// (sonic-gnmi 5ec1c20b, getDbtablePath and Get of mixed_db_client.go).
		return branch{path: r.path}, nil
	default:
		return branch{}, fmt.Errorf("%s answered Get without a notification, so its configuration is unknown",
			d.Name())
	}
	b, err := absorb(path, r.origin == sonic.Origin, answer)
	if err != nil {
		return branch{}, fmt.Errorf("the answer of %s cannot be read: %w", d.Name(), err)
	}
	b.path = r.path
	return b, nil
}

// source is the prefix and the path of a Get. sonic-gnmi answers the origin sonic-db from its checkpoint file while
// there is one, and the target CONFIG_DB, with paths beneath the database, from Redis (sonic-gnmi 5ec1c20b,
// GetCheckPoint of mixed_db_client.go; Get of gnmi_server/server.go). At a gateway the target is the name of the
// switch.
func source(client *gnmi.Client, r reading) (prefix *gpb.Path, path []nos.Elem) {
	if root := sonic.Path(); r.origin == sonic.Origin && !client.Named() {
		return &gpb.Path{Target: root[0].Name}, r.path[len(root):]
	}
	return &gpb.Path{Origin: r.origin}, r.path
}

// checkpoint says that the switch answers the origin sonic-db from a checkpoint that is not what it holds now; empty:
// it does not, or it is not known. What differs is read once more: it may have changed in between.
func (d *device) checkpoint(ctx context.Context, now Trees) string {
	reads := d.language.reads()
	for i, r := range reads {
		if r.origin != sonic.Origin || d.Named() {
			return ""
		}
		answer := asked.Get(ctx, d.Client, &gpb.Path{Origin: r.origin}, r.kind, elems(r.path))
		if answer == nil {
			continue
		}
		kept, err := absorb(r.path, true, answer)
		if err != nil || same(kept.tree, now[i].tree) {
			continue
		}
		if again, err := d.readOne(ctx, r); err == nil && same(again.tree, now[i].tree) {
			return fmt.Sprintf("a checkpoint stands in the way of other clients: for the origin %s the switch answers %s from "+
				"/etc/sonic/config.cp.json, which is not what it holds. A Set is under way, or one has left it behind",
				sonic.Origin, r.path[len(r.path)-1].Name)
		}
	}
	return ""
}

// request is a Set of one origin: deletions, and then updates. What shall be
// there as a whole is a replace where an update would leave what is beside it.
//
// sonic-gnmi passes over the deletion of a field whose name has a slash (sonic-gnmi 5ec1c20b, FixPath and Remove of
// json_client.go): the field is read back as it was.
func (d *device) request(changes []Change) *gpb.SetRequest {
	out := &gpb.SetRequest{Prefix: &gpb.Path{Origin: changes[0].update.Origin}}
	for _, c := range changes {
		update := &gpb.Update{Path: &gpb.Path{Elem: elems(c.update.Path)}, Val: jsonValue(c.update.JSON)}
		if c.update.Origin == sonic.Origin {
			for _, e := range update.Path.Elem {
				e.Name = sonic.Escaped(e.Name)
			}
		}
		switch {
		case c.update.JSON == nil:
			out.Delete = append(out.Delete, update.Path)
		case c.whole && !d.language.overwrites():
			out.Replace = append(out.Replace, update)
		default:
			out.Update = append(out.Update, update)
		}
	}
	return out
}

func jsonValue(data []byte) *gpb.TypedValue {
	return &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: data}}
}

func elems(path []nos.Elem) []*gpb.PathElem {
	var out []*gpb.PathElem
	for _, e := range path {
		elem := &gpb.PathElem{Name: e.Name}
		if e.Key != "" {
			elem.Key = map[string]string{e.Key: e.Value}
		}
		out = append(out, elem)
	}
	return out
}

func codeOf(err error) codes.Code {
	if e, ok := errors.AsType[*gnmi.RPCError](err); ok {
		return e.Code
	}
	return codes.Unknown
}
