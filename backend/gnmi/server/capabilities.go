package server

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
	"github.com/openconfig/ygot/ygot"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// Capabilities answers the models and the encodings of this switch. Clients choose their
// profile of the switch by the names of the models, so that a test gives a switch the models of another vendor with
// [Options.Models]. The answer needs no reading of the device, and is the same at any time.
func (s *Server) Capabilities(ctx context.Context, req *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	if err := s.allow(ctx, false); err != nil {
		return nil, bounded(err)
	}
	if err := noExtensions(req.GetExtension()); err != nil {
		return nil, bounded(err)
	}
	// The version is the one of the gNMI specification that this switch implements.
	return &gpb.CapabilityResponse{SupportedModels: slices.Concat(oc.ΓModelData, s.opt.Models), GNMIVersion: "0.10.0",
		SupportedEncodings: slices.Clone(encodings[:])}, nil
}

// In RFC 7951, section 4, the name of a node may have the name of its module before it. A name with
// another module is another node, which this switch does not have. The structs of the models
// have the modules in their tags.

// origin says where a node of the schema comes from: its module, and the type of its field.
type origin struct {
	module string
	field  reflect.Type
}

// origins returns those of all nodes of the schema.
var origins = sync.OnceValue(func() map[*yang.Entry]origin {
	return addOrigins(root(), reflect.TypeFor[oc.Root](), map[*yang.Entry]origin{})
})

// addOrigins adds the origins of the fields of a struct.
func addOrigins(e *yang.Entry, t reflect.Type, into map[*yang.Entry]origin) map[*yang.Entry]origin {
	for field := range t.Fields() {
		child := e.Dir[field.Tag.Get("path")]
		if child == nil {
			continue
		}
		into[child] = origin{field.Tag.Get("module"), field.Type}
		switch below := field.Type; {
		case util.IsTypeStructPtr(below):
			addOrigins(child, below.Elem(), into)
		case below.Kind() == reflect.Map:
			addOrigins(child, below.Elem().Elem(), into)
		}
	}
	return into
}

// inModule tells whether a name, with or without a module before it, may be the name of a
// node.
func inModule(e *yang.Entry, name string) bool {
	module, _, qualified := strings.Cut(name, ":")
	return !qualified || module == origins()[e].module
}

// identityInModule tells whether the value of an identityref, with or without a module
// before it, is not the identity of another module (RFC 7951, section 6.8). A value that is no
// identity at all is refused when it is read.
func identityInModule(e *yang.Entry, value string) bool {
	module, name, qualified := strings.Cut(value, ":")
	if !qualified || e.Type == nil || e.Type.Kind != yang.Yidentityref {
		return true
	}
	enum, ok := reflect.Zero(origins()[e].field).Interface().(ygot.GoEnum)
	if !ok {
		return true
	}
	for _, definition := range enum.ΛMap()[origins()[e].field.Name()] {
		if definition.Name == name {
			return definition.DefiningModule == module
		}
	}
	return true
}

// SimulatedChip is a model that says which chip a simulated ASIC has, and the size of its cells in
// bytes: OpenConfig has no leaf for either. There is no YANG module for it: name and version are
// all.
func SimulatedChip(chip buffer.Chip) *gpb.ModelData {
	return ownModel(nos.ChipModel+chip.Name, fmt.Sprint(chip.Cell))
}
