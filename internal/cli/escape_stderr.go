package cli

import (
	"io"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// escapedWriter is standard error: what passes has no control characters but line breaks, so
// that no text of a file or of a switch changes what the terminal shows. Readers
// refuse such texts already; the texts of a switch are met here.
type escapedWriter struct{ to io.Writer }

// Write writes one message. It counts the bytes that it was given and not the longer text: a caller would take
// another number for a short write.
func (w escapedWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, fielderr.Escape(string(p), true)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// EscapeTo returns a writer that escapes control characters before w.
func EscapeTo(w io.Writer) io.Writer { return escapedWriter{w} }
