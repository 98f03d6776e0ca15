package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// File is what a Writer needs of a file.
type File interface {
	io.WriteCloser
	Sync() error
	Name() string
}

// CreateError says that a push sent nothing, because its journal could not be written.
type CreateError struct{ Err error }

// Error says why.
func (e *CreateError) Error() string {
	return fmt.Sprintf("nothing was sent, because the journal cannot be written: %v", e.Err)
}

// Unwrap returns the reason.
func (e *CreateError) Unwrap() error { return e.Err }

// Writer writes the journal of one push. Its file is made when there is something to be sent: a push that finds nothing
// to change has no journal. A nil Writer writes nothing.
type Writer struct {
	// Created is called with the name of the file before anything is sent; nil: it is not.
	Created func(name string)

	create func() (File, error)
	file   File // nil: not made yet
	about  About
	schema string
	sum    string // of the line before

	uncreated  error // why nothing could be sent, a *CreateError; nil: it could
	broken     error // why nothing more can be written
	unreported error // broken while the device was restored, which no error of the push tells
	unended    error // why the last line is missing
}

// New makes a Writer. create makes the file when there is something to be sent: see Create.
func New(about About, create func() (File, error)) *Writer {
	return &Writer{about: about, create: create}
}

// NewIn makes a Writer whose file Create makes: where is a file that is not there yet, a directory, or empty for Home.
func NewIn(where string, about About) *Writer {
	return New(about, func() (File, error) { return Create(where, about.Target, time.Now()) })
}

// Converge is backend.Converge with this journal, and ends it.
func (w *Writer) Converge(ctx context.Context, b backend.Backend, want buffer.Layout,
	opt backend.Options) (*backend.Report, error) {
	opt.Observer = w.Registers()
	r, err := backend.Converge(ctx, b, want, opt)
	return r, w.End(r.State, err)
}

// Name is the name of the file; empty: it was not made.
func (w *Writer) Name() string {
	if w == nil || w.file == nil {
		return ""
	}
	return w.file.Name()
}

// begin makes the file and writes the first line.
func (w *Writer) begin(start Record) error {
	w.schema = start.Schema
	if w.file != nil || w.uncreated != nil {
		return w.uncreated
	}
	file, err := w.create()
	if err == nil {
		w.file = file
		err = w.write(start)
	}
	if err != nil {
		w.discard()
		w.uncreated = &CreateError{err}
		return w.uncreated
	}
	if w.Created != nil {
		w.Created(w.file.Name())
	}
	return nil
}

// discard removes a file if not even its first line could be written.
func (w *Writer) discard() {
	if w.file == nil {
		return
	}
	_ = w.file.Close()
	if f, ok := w.file.(interface{ Remove() error }); ok { // of no disk of this machine
		_ = f.Remove()
	} else {
		_ = os.Remove(w.file.Name())
	}
	w.file = nil
}

func (w *Writer) write(r Record) error {
	r.Schema, r.Time = w.schema, time.Now().UTC()
	line, err := json.Marshal(r)
	if err == nil && sealed(w.schema) {
		line, w.sum = seal(w.sum, line)
	}
	if err == nil {
		_, err = w.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.broken = fmt.Errorf("journal: %w", err)
	}
	return w.broken
}

// note writes a line about a phase. If it cannot be written, the phase fails, unless it restores what the device had:
// that is done without a journal, too. Nothing is written after a line that may be half there.
func (w *Writer) note(r Record, restore bool) error {
	if w.broken != nil {
		return nil
	}
	err := w.write(r)
	if restore {
		w.unreported, err = err, nil
	}
	return err
}

// End writes how the push left the device, if anything was written, and closes the file. It returns the error of the
// push with those of the journal. That the last line cannot be written is no failure of the push: see Unended.
func (w *Writer) End(state backend.State, err error) error {
	switch {
	case w == nil:
		return err
	case w.uncreated != nil:
		return w.uncreated
	case w.file == nil:
		return err
	}
	defer w.file.Close()
	if w.broken == nil {
		w.unended = w.write(Record{Kind: kindEnd, State: string(state), Error: errorText(err)})
	} else {
		w.unended = w.broken
	}
	if err == nil || w.unreported == nil {
		return err
	}
	return errors.Join(err, w.unreported)
}

// Unended returns why the last line could not be written, after End; nil: it was. The journal says
// then that the push did not end. Resuming it finds nothing that is left to be done.
func (w *Writer) Unended() error {
	if w == nil {
		return nil
	}
	return w.unended
}

// observer writes what a push does to a device.
type observer[R, C any] struct {
	*Writer
	start  func(before R, changes []C) Record
	send   func(changes []C) Record   // the fields of Send
	number func(backend.Phase[C]) int // of a phase that is going to be sent
	last   int                        // number of the phase that was sent last
}

// Begin makes the file.
func (o *observer[R, C]) Begin(before R, changes []C) error { return o.begin(o.start(before, changes)) }

// Sending writes what is going to be sent. What cannot be written is not sent.
func (o *observer[R, C]) Sending(p backend.Phase[C]) error {
	o.last = o.number(p)
	r := o.send(p.Changes)
	r.Kind, r.Phase, r.Commit = kindSend, o.last, p.Commit
	return o.note(r, p.Restore)
}

// Sent writes what came of it.
func (o *observer[R, C]) Sent(p backend.Phase[C], err error) error {
	return o.note(Record{Kind: kindSent, Phase: o.last, Error: errorText(err)}, p.Restore)
}

// Confirming writes that a commit is going to be confirmed. What cannot be written
// is not confirmed, unless the push is undone already.
func (o *observer[R, C]) Confirming() error {
	if o.broken != nil || o.file == nil {
		return nil
	}
	return o.write(Record{Kind: kindConfirm})
}

// Cancelling writes that a commit is going to be cancelled, if that can be written.
func (o *observer[R, C]) Cancelling() {
	if o.broken == nil && o.file != nil {
		_ = o.write(Record{Kind: kindCancel})
	}
}

// Registers observes a push of registers. Its phases are counted on when the device is restored.
func (w *Writer) Registers() backend.Observer[buffer.Layout, buffer.Step] {
	if w == nil {
		return nil
	}
	phases := 0
	return &observer[buffer.Layout, buffer.Step]{Writer: w,
		start: func(before buffer.Layout, steps []buffer.Step) Record {
			r := w.about.start(schemaRegisters)
			r.Before, r.Moves = settings(before), moves(steps)
			return r
		},
		send: func(steps []buffer.Step) Record {
			return Record{Steps: grouped.Each(steps, buffer.Step.String), Moves: moves(steps)}
		},
		number: func(backend.Phase[buffer.Step]) int { phases++; return phases }}
}

// Values observes a push of native values. record writes changes as Values. The
// number of a phase is negative when it is undone.
func Values[R, C any](w *Writer, record func([]C) []Value) backend.Observer[R, C] {
	if w == nil {
		return nil
	}
	return &observer[R, C]{Writer: w,
		start: func(_ R, changes []C) Record {
			r := w.about.start(schemaValues)
			r.Changes = record(changes)
			r.Plan = checksum(r.Changes)
			return r
		},
		send: func(changes []C) Record { return Record{Changes: record(changes)} },
		number: func(p backend.Phase[C]) int {
			if p.Restore {
				return -p.Number
			}
			return p.Number
		}}
}
