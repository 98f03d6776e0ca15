package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Progress returns a function that shows how far long work is, on a terminal and
// from the second second on; elsewhere nil. With done equal to whole it removes
// what it has shown. w is standard error, which escapes control characters: the line that is overwritten needs them,
// so it goes past that. Lines come five times a second at most, because a terminal may be far away.
func Progress[T ~int | ~int64](w io.Writer) func(done, whole T) {
	if escaped, ok := w.(escapedWriter); ok {
		w = escaped.to
	}
	file, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if !term.IsTerminal(int(file.Fd())) { // /dev/null is a device and no terminal
		return nil
	}
	// Work that takes a second or less shows nothing.
	last := time.Now().Add(time.Second)
	shown := false
	return func(done, whole T) {
		now := time.Now()
		// The carriage return and the escape erase the line, so that the report begins on an empty one.
		if shown && done == whole {
			fmt.Fprint(file, "\r\x1b[K")
			return
		}
		if now.Sub(last) < 200*time.Millisecond {
			return
		}
		last, shown = now, true
		fmt.Fprintf(file, "\r%3d %%  %v of %v\x1b[K", int64(float64(done)/float64(whole)*100), done, whole)
	}
}

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
