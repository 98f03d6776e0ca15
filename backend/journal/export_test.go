package journal

// The tests of the package name what only it uses.
const (
	MaxLines        = maxLines
	SchemaRegisters = schemaRegisters
)

var (
	ErrChanged   = errChanged
	ErrContinued = errContinued
)
