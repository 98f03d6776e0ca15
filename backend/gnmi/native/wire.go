package native

import (
	"context"
	"errors"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Read reads all that the language asks for. A switch answers NotFound for what
// it does not have; SONiC does for everything that fails. So what is required is
// read first, and what is not found after it is asked for again before it is
// believed: a table that is not there is written as a whole.
func (d *device) Read(ctx context.Context) (Reading, error) {
	var out Reading
	for _, r := range d.language.reads() {
		b, err := d.readOne(ctx, r)
		if codeOf(err) == codes.NotFound && !r.required {
			b, err = d.readOne(ctx, r)
		}
		switch {
		case err == nil && b.tree == nil && r.required:
			return nil, fmt.Errorf("%s has nothing at %s: it is not the kind of switch that its profile describes",
				d.client.Name(),
				nos.Text(r.path))
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
	request := &gpb.GetRequest{Prefix: &gpb.Path{Origin: r.origin}, Path: []*gpb.Path{{Elem: elems(r.path)}},
		Type: r.kind, Encoding: gpb.Encoding_JSON_IETF}
	answer, err := d.client.Get(ctx, request)
	if err != nil {
		return branch{}, err
	}
	if len(answer.GetNotification()) == 0 {
		return branch{}, fmt.Errorf("%s answered Get without a notification, so its configuration is unknown",
			d.client.Name())
	}
	b, err := absorb(r.path, r.origin == sonic.Origin, answer)
	if err != nil {
		return branch{}, fmt.Errorf("the answer of %s cannot be read: %w", d.client.Name(), err)
	}
	return b, nil
}

// request is a Set of one origin: deletions, and then updates. What shall be
// there as a whole is a replace where an update would leave what is beside it.
func (d *device) request(changes []Change) *gpb.SetRequest {
	out := &gpb.SetRequest{Prefix: &gpb.Path{Origin: changes[0].update.Origin}}
	for _, c := range changes {
		update := &gpb.Update{Path: &gpb.Path{Elem: elems(c.update.Path)}, Val: jsonValue(c.update.JSON)}
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
