package topology

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// File is a topology that was read: its intent, and the place of each value.
type File struct {
	Intent  buffer.Intent
	Entries []Entry // of its ports, in the order of the file
	// ID is the key `id`, as JSON: a text or a number by which the author of many topologies knows this one. nil: none.
	ID json.RawMessage
	// Text is the file as it was read, without the changes.
	Text []byte

	// reader has the lines of all paths. It stays after a file was refused, because the lines are asked for then too.
	reader *reader
}

// Entry is one entry of the key `ports`: ports that differ in their names alone.
type Entry struct {
	Path string // ports[0]
	capacity.Entry
}

// CapacityEntries returns the entries of the ports for questions about capacity, which are of an entry, because its
// ports have one cable and one speed.
func (f *File) CapacityEntries() []capacity.Entry {
	return grouped.Each(f.Entries, func(e Entry) capacity.Entry { return e.Entry })
}

// Override is one value that a topology has for one question: "what if ports[1].cable were 2km?". Or it is the cable of
// one port, which the file of a fabric knows.
type Override struct {
	set   document.Override
	cable *portCable // nil: a value
}

// ParseOverride reads a change, "ports[1].cable=2km". The path is as in the file, with the number of an entry in
// brackets, from 0; the value is YAML. Whether the file accepts the value is for [Read].
func ParseOverride(text string) (Override, error) {
	c, err := document.ParseOverride(text)
	return Override{set: c}, err
}

// NewChange returns the change of a path to a value.
func NewChange(path, value string) Override {
	return Override{set: document.Override{Path: path, Value: value}}
}

// NewCable returns the change of one port to the cable that another file gives it: its speed and its length, as the
// other file spells them; "" says neither. Where is the place in that file. A topology may leave out what its ports get
// so, and may not contradict it: the complaint names both places. The port has to be there.
func NewCable(port, speed, length, where string) Override {
	return Override{cable: &portCable{port: port, speed: speed, length: length, where: where}}
}

// String prints the change as ParseOverride reads it; "" for a cable, which is not of the file but of its port.
func (c Override) String() string {
	if c.cable != nil {
		return ""
	}
	return c.set.String()
}

// Read reads a topology as [Parse] does, and keeps the place of each value. The changes are made before anything is
// read: the keys and values that they give are accepted, and refused, as the file's own.
func Read(file string, data []byte, open Open, changes ...Override) (*File, error) {
	r := newReader(file)
	// Changes are told before the text is parsed, and are made on its tree: a value of a change passes the same
	// readers as one of the file.
	for _, c := range changes {
		if c.cable != nil {
			own := *c.cable // a change is of many reads
			r.cables[own.port] = &own
		} else {
			r.Change(c.set)
		}
	}
	f := &File{reader: r, Text: data}
	if root := r.Parse(data); root != nil {
		f.Intent = r.intent(root, open)
		r.validate(&f.Intent)
	}
	f.Entries, f.ID = r.entries, r.id
	// The id survives a file that is refused: the answer to one of many topologies has to name it. So does the
	// reader, for the lines. The intent does not, because a half-read one must not be planned.
	if err := r.invalid(); err != nil {
		return &File{reader: r, ID: r.id}, err
	}
	return f, nil
}

// Place returns the file and the line of a path, such as "ports[0].cable". A key that neither the file nor a change has
// is not stated, and has the place of the value that would contain it. A value of a change has the change in place of
// the file, and line 0.
func (f *File) Place(path string) (file string, line int, stated bool) {
	_, stated = f.reader.Line(path)
	file, line = f.reader.Where(f.reader.lineOf(path))
	return file, line, stated
}

// PortNamed returns the index in the intent of the port with a name. The name is compared as it stands: a port of
// another spelling may exist on the switch, and is not this one. The error is [buffer.ErrInvalid] with the names.
func (f *File) PortNamed(name string) (int, error) {
	i := slices.IndexFunc(f.Intent.Ports, func(p buffer.Port) bool { return p.Name == name })
	if i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: no port %q (want %s)", buffer.ErrInvalid, name, buffer.FoldPorts(namesOf(f.Intent.Ports)))
}

// namesOf returns the names of ports.
func namesOf(ports []buffer.Port) []string {
	return grouped.Each(ports, func(p buffer.Port) string { return p.Name })
}

// EntryOf returns the entry of the i-th port of the intent. It returns nil for an index that no port has.
func (f *File) EntryOf(i int) *Entry {
	for k := range f.Entries {
		if e := &f.Entries[k]; i >= e.First && i < e.First+e.Count {
			return e
		}
	}
	return nil
}

// identity reads the key `id`: a text or a whole number, which stays one.
func identity(v *document.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	// The author's own key comes back as it was: a number as a number, a text as a text.
	text := v.Text()
	if text == "" || len(text) > maxID {
		v.Refuse(fmt.Sprintf("a text of 1 to %d bytes, or a whole number", maxID))
		return nil
	}
	// Only a number that prints as it was read stays a number. 007, 0x10 and 1_000 are texts: JSON has no other way
	// to return them unchanged.
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && v.IsNumber() && strconv.FormatInt(n, 10) == text {
		return json.RawMessage(text)
	}
	id, err := json.Marshal(text)
	if err != nil {
		v.Refuse("a text")
	}
	return id
}

// maxID is longer than the names that people give to switches.
const maxID = 256
