package server

import (
	"math"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// setLeaf writes a leaf, and the keys of the entries above it that it creates.
func (n node) setLeaf(tree *oc.Root, v *gpb.TypedValue) error {
	if err := n.put(tree, v); err != nil {
		return n.invalid(err)
	}
	return n.writeKeys(tree)
}

// put writes a leaf, with the error of ytypes. Command-line clients send int_val for everything
// that has digits: ytypes accepts it for an unsigned leaf if it is not negative.
func (n node) put(tree *oc.Root, v *gpb.TypedValue) error {
	return ytypes.SetNode(root(), tree, n.path, n.signed(v),
		&ytypes.InitMissingElements{}, &ytypes.TolerateJSONInconsistencies{})
}

// signed turns a uint_val for a signed leaf, which some clients send, into an int_val. A
// number that no int_val can hold stays, and is refused later.
func (n node) signed(v *gpb.TypedValue) *gpb.TypedValue {
	u, unsigned := v.GetValue().(*gpb.TypedValue_UintVal)
	if !unsigned || n.entry.Type == nil || u.UintVal > math.MaxInt64 {
		return v
	}
	switch n.entry.Type.Kind {
	case yang.Yint8, yang.Yint16, yang.Yint32, yang.Yint64:
		return &gpb.TypedValue{Value: &gpb.TypedValue_IntVal{IntVal: int64(u.UintVal)}}
	}
	return v
}

// plainError is the text of an error of ytypes without the names of Go structs. Other texts of ytypes are for people
// as they are.
func plainError(err error) string {
	text := status.Convert(err).Message()
	if _, after, found := strings.Cut(text, "; "); found && strings.HasPrefix(text, "failed to update struct field") {
		return after
	}
	return text
}

// invalid is the error for an operation at this path that cannot be made.
func (n node) invalid(err error) error {
	return n.errorf(codes.InvalidArgument, "%s", plainError(err))
}
