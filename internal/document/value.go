package document

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// Value is one value of the file and its place. A nil *Value is a value that the file does not have.
type Value struct {
	Line   int
	node   *node
	reader *Reader
	in     *Value // nil: the document itself
	key    string // in a mapping
	item   int32  // in a list, from 0
}

// Path returns where the value stands, such as ports[3].speed; "" for the document itself. It is made when it is asked
// for: most values are read without a word.
func (v *Value) Path() string {
	switch {
	case v.in == nil:
		return ""
	case v.in.node.kind == list:
		return v.in.Path() + index(int(v.item))
	default:
		return under(v.in.Path(), v.key)
	}
}

// index is the end of the path of a list's item.
func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

// under returns the path of a key.
func under(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Refuse complains about the value and says what is accepted.
func (v *Value) Refuse(accepted string) {
	v.reader.Complain(v.Line, v.Name(), v.show(), accepted)
}

// Fail complains about the value with a text of the caller's.
func (v *Value) Fail(text string) { v.reader.Fail(v.Line, v.Name(), text) }

// Complaints returns how many complaints the file has so far. A caller compares it before and after it reads a value: a
// value that could not be read is zero, and must not pass for a zero that the file has.
func (v *Value) Complaints() int { return v.reader.refuse }

// Name returns the path as messages show it.
func (v *Value) Name() string {
	if path := v.Path(); path != "" {
		return path
	}
	return Whole
}

// show prints the value in few words, a long one cut. The text of a document that is nothing but text is not shown.
func (v *Value) show() string {
	switch {
	case v.node.kind == mapping:
		return "a mapping"
	case v.node.kind == list:
		return "a list"
	case v.Path() == "":
		return "text"
	default:
		return fielderr.Quote(v.node.value)
	}
}

// IsMapping tells whether the value has keys.
func (v *Value) IsMapping() bool { return v != nil && v.node.kind == mapping }

// IsNumber tells whether the value is written as a whole number, without quotes.
func (v *Value) IsNumber() bool {
	return v.node.kind == scalar && v.node.tag == intTag
}

// Len returns the number of a list's items or of a mapping's keys; 0 of anything else.
func (v *Value) Len() int {
	if v.IsMapping() {
		return len(v.node.items) / 2
	}
	return len(v.node.items)
}

// Raw returns the text of a scalar as the file has it, "" of anything else. Unlike [Value.Text] it refuses nothing.
func (v *Value) Raw() string {
	if v == nil {
		return ""
	}
	return v.node.value
}

// Keys lists the mapping's keys, or nil for another value.
func (v *Value) Keys() []string {
	var out []string
	if v.IsMapping() {
		for i := 0; i < len(v.node.items); i += 2 {
			out = append(out, v.node.items[i].value)
		}
	}
	return out
}

// All yields the mapping's keys and values in their order, or nothing of another value. A key that is given twice comes
// twice.
func (v *Value) All() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		for i := 0; v.IsMapping() && i+1 < len(v.node.items); i += 2 {
			key := v.node.items[i].value
			if !yield(key, v.reader.value(&v.node.items[i+1], v, key, 0)) {
				return
			}
		}
	}
}

// Fields returns the mapping's values by key. A key that is not accepted, or given twice, is refused. The keys of a
// document that has none of the accepted ones are not shown: it is another kind of file. A value that is absent has
// none.
func (v *Value) Fields(accepted ...string) map[string]*Value {
	if v == nil {
		return nil
	}
	out := make(map[string]*Value, min(v.Len(), len(accepted)))
	keys := func() string { return fielderr.Printable(strings.Join(accepted, ", ")) }
	if !v.IsMapping() {
		v.Refuse("a mapping with the keys " + keys())
		return out
	}
	known := func(key string) bool { return slices.Contains(accepted, key) }
	if v.in == nil && !slices.ContainsFunc(v.Keys(), known) {
		v.reader.Complain(v.Line, Whole, plural(v.Len(), "key")+", none of them accepted", keys())
		return out
	}
	for i := 0; i+1 < len(v.node.items); i += 2 {
		key := &v.node.items[i]
		switch {
		case !known(key.value):
			v.reader.Complain(int(key.line), under(v.Path(), key.value), "unknown key", keys())
		case out[key.value] != nil:
			v.reader.Complain(int(key.line), under(v.Path(), key.value), "given twice", "each key once")
		default:
			out[key.value] = v.reader.value(&v.node.items[i+1], v, key.value, 0)
		}
	}
	return out
}

// Numbered yields the values of a mapping whose keys are the numbers below n, in the order of these and not of the
// file. Other keys are refused before.
func (v *Value) Numbered(n int) iter.Seq2[int, *Value] {
	if v == nil { // most topologies have no such mapping
		return func(func(int, *Value) bool) {}
	}
	keys := make([]string, n)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	f := v.Fields(keys...)
	return func(yield func(int, *Value) bool) {
		for i, key := range keys {
			if f[key] != nil && !yield(i, f[key]) {
				return
			}
		}
	}
}

// AlikeBut tells whether two mappings have the same keys in the same order, and the same values but for those of one
// key, which both have. What was read of one of them without a complaint then holds for the other.
func (v *Value) AlikeBut(o *Value, key string) bool {
	if !v.IsMapping() || !o.IsMapping() || len(v.node.items) != len(o.node.items) {
		return false
	}
	has := false
	for i := 0; i+1 < len(v.node.items); i += 2 {
		name := v.node.items[i].value
		if name != o.node.items[i].value {
			return false
		}
		if name == key {
			has = true
		} else if !v.node.items[i+1].equal(&o.node.items[i+1]) {
			return false
		}
	}
	return has
}

// Need complains about keys that are not there.
func (v *Value) Need(fields map[string]*Value, keys ...string) {
	for _, k := range keys {
		if fields[k] == nil && v.IsMapping() {
			v.missing(k)
		}
	}
}

// Field returns the value of a key that decides which other keys are accepted; nil after a complaint if it is not
// there.
func (v *Value) Field(key string) *Value {
	for i := 0; v.IsMapping() && i+1 < len(v.node.items); i += 2 {
		if v.node.items[i].value == key {
			return v.reader.value(&v.node.items[i+1], v, key, 0)
		}
	}
	v.missing(key)
	return nil
}

func (v *Value) missing(key string) {
	v.reader.Complain(v.Line, under(v.Path(), key), "missing", "this key")
}

// Items returns the list's values.
func (v *Value) Items() []*Value {
	if v == nil {
		return nil
	}
	if v.node.kind != list {
		v.Refuse("a list")
		return nil
	}
	out := make([]*Value, len(v.node.items))
	for i := range out {
		out[i] = v.reader.value(&v.node.items[i], v, "", i)
	}
	return out
}

// Text returns the scalar's text, or "". A text with a line break or a tab is refused: names are in the
// lines and columns of the output.
func (v *Value) Text() string {
	text := v.Prose()
	if strings.ContainsAny(text, "\n\t") {
		v.Refuse("text in one line, without tabs")
		return ""
	}
	return text
}

// Label returns the text of a name, or "": at most maxKey bytes, in one line. A name is repeated for
// every port, in every table.
func (v *Value) Label() string {
	text := v.Text()
	if len(text) > maxKey {
		v.Refuse(fmt.Sprintf("a name of at most %d bytes", maxKey))
		return ""
	}
	return text
}

// Prose returns the scalar's text, which may have several lines, or "".
func (v *Value) Prose() string {
	if v == nil {
		return ""
	}
	if v.node.kind != scalar || v.node.tag == nullTag {
		v.Refuse("text")
		return ""
	}
	return v.node.value
}

// Boolean returns the scalar's truth value. Without a scalar it is false.
func (v *Value) Boolean() bool {
	if v == nil {
		return false
	}
	if v.node.kind != scalar || v.node.tag != boolTag {
		v.Refuse("true or false")
		return false
	}
	b, _ := strconv.ParseBool(strings.ToLower(v.node.value))
	return b
}

// Integer returns a whole number within bounds, or 0.
func (v *Value) Integer(lowest, highest int64) int64 {
	if v == nil {
		return 0
	}
	n, err := strconv.ParseInt(v.node.value, 10, 64)
	if v.node.kind != scalar || err != nil || n < lowest || n > highest {
		v.Refuse(fmt.Sprintf("a whole number from %d to %d", lowest, highest))
		return 0
	}
	return n
}

// Quantity returns what parse makes of the text, or the zero quantity. The error of parse is the complaint.
func Quantity[T any](v *Value, parse func(string) (T, error)) T {
	var zero T
	if v == nil {
		return zero
	}
	if v.node.kind != scalar {
		v.Refuse("text such as 9216B, 400G, 300m or 20%")
		return zero
	}
	q, err := parse(v.node.value)
	if err != nil {
		v.Fail(fielderr.Requote(err, v.node.value))
		return zero
	}
	return q
}

// Optional is Quantity of what may be absent, where zero is a value.
func Optional[T any](v *Value, parse func(string) (T, error)) unit.Optional[T] {
	if v == nil {
		return unit.Optional[T]{}
	}
	return unit.Given(Quantity(v, parse))
}

// plural prints a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
