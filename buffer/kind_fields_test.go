package buffer

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// Ports of one kind are those whose kinds are equal, whichever field differs.
func TestSameKind(t *testing.T) {
	for i := range reflect.TypeFor[Port]().NumField() {
		var a, b Port
		change(reflect.ValueOf(&b).Elem().Field(i))
		require.NotEqual(t, a, b)
		require.Equal(t, a.kind() == b.kind(), a.sameKind(&b), reflect.TypeFor[Port]().Field(i).Name)
	}
	require.True(t, (&Port{}).sameKind(&Port{}))
}

// change gives a field another value than zero.
func change(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct: // an optional time, or what has several parts
		if v.Type() == reflect.TypeFor[unit.Optional[unit.Time]]() {
			v.Set(reflect.ValueOf(unit.Given(unit.Microsecond)))
		} else {
			change(v.Field(0))
		}
	default:
		if v.CanInt() {
			v.SetInt(1)
		} else {
			v.SetUint(1)
		}
	}
}
