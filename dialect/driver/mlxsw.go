package driver

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
)

// NoBufferSpace is the error with which Linux drivers such as mlxsw refuse for
// want of memory; ENOBUFS is 105 on most architectures.
const NoBufferSpace = "-ENOBUFS"

// Mlxsw returns how mlxsw refuses a headroom: the error number, and the numbers
// of the refusal.
func Mlxsw(r *buffer.Refusal) string {
	return fmt.Sprintf("%s: the headroom of %s cannot be set: %s", NoBufferSpace, r.Subject(), r.Detail)
}
