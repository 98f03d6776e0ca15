package main

import (
	"io"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// wall is standard error: what passes has no control characters but line breaks, so
// that no text of a file or of a switch changes what the terminal shows. Readers
// refuse such texts already; the texts of a switch are met here.
type wall struct{ to io.Writer }

// Write writes one message.
func (w wall) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, fielderr.Escape(string(p), true)); err != nil {
		return 0, err
	}
	return len(p), nil
}
