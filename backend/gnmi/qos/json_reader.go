package qos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// wanted is what cellwarden reads of a switch, and asks for where it is asked
// leaf by leaf: containers of configuration, and their leaves. The entries of
// lists on the way are read, too. Decode and the client look at nothing else, so that
// nothing else is read out of an answer: it may hold what it likes. Who has
// Decode look at another leaf adds its place here.
var wanted = []place{
	{pathQueue + "/config", []string{"name", "queue-id"}},
	{pathPG + "/config", []string{"name"}},
	{pathPGQueue, []string{"dedicated-buffer", "use-shared-buffer", "shared-buffer-limit-type",
		"dynamic-limit-scaling-factor", "static-shared-buffer-limit"}},
	{pathECN + "/config", []string{"name"}},
	{pathCurve, []string{"enable-ecn", "min-threshold", "max-threshold", "max-drop-probability-percent"}},
	{pathInterface + "/input/config", []string{"buffer-allocation-profile"}},
	{pathGroup + "/config", []string{"name", "output-queue", "unicast-output-queue", "multicast-output-queue"}},
	{pathClassifier + "/config", []string{"name", "type"}},
	{pathTerm + "/conditions/ipv4/config", conditions},
	{pathTerm + "/conditions/ipv6/config", conditions},
	{pathTerm + "/actions/config", []string{"target-group"}},
	{pathTerm + "/actions/remark/config", []string{"set-dscp", "set-dot1p", "set-mpls-tc"}},
	{pathPolicy + "/config", []string{"name"}},
	{pathScheduler + "/config", []string{"sequence", "type", "priority"}},
	{pathScheduler + "/inputs/input[id=*]/config", []string{"id", "input-type", "queue", "weight"}},
	{pathScheduler + "/output/config", []string{"output-type"}},
	{pathScheduler + "/one-rate-two-color/config", []string{"cir", "cir-pct"}},
	{pathScheduler + "/two-rate-three-color/config", []string{"cir", "cir-pct", "pir", "pir-pct"}},
	{pathInterface + "/input/classifiers/classifier[type=*]/config", []string{"type", "name"}},
	{pathInterface + "/input/scheduler-policy/config", []string{"name"}},
	{pathInterface + "/output/scheduler-policy/config", []string{"name"}},
	{pathInterface + "/input/queues/queue[name=*]/config", []string{"queue-management-profile"}},
	{pathInterface + "/output/config", []string{"buffer-allocation-profile"}},
	{pathInterface + "/output/queues/queue[name=*]/config", []string{"queue-management-profile"}},
}

// conditions are of the header of a packet of either version of IP.
var conditions = []string{"dscp", "dscp-set", "length", "hop-limit"}

// place is a container, and leaves in it.
type place struct {
	path   string
	leaves []string
}

// places are the paths of wanted.
var places = func() (out []*gpb.Path) {
	for _, p := range wanted {
		out = append(out, &gpb.Path{Elem: elements(p.path)})
	}
	return out
}()

// reading is how wanted stands in the structs of package oc.
var reading = compile(wanted)

// shape is what is read into one type of struct.
type shape struct {
	fields map[string]*field
	key    *field // of a list's entries, or nil
}

// field is what is read into one field of a struct. It is a leaf if it has no
// shape below it.
type field struct {
	name  string
	index int
	down  *shape
	entry reflect.Type // of a list: the struct of its entries
	set   func(reflect.Value, scalar) bool
	takes string // what set accepts
}

// compile finds the places in the structs. It panics at one that is not there:
// that is no input but a mistake in a table.
func compile(places []place) *shape {
	top := &shape{fields: map[string]*field{}}
	for _, p := range places {
		s, t := top, reflect.TypeFor[oc.Root]()
		for _, e := range ygot.MustStringToPath(p.path).GetElem() {
			f := s.add(t, e.GetName())
			if t = t.Field(f.index).Type.Elem(); f.entry != nil {
				t = f.entry
			}
			if f.down == nil {
				f.down = &shape{fields: map[string]*field{}}
			}
			if len(e.GetKey()) > 1 {
				panic(p.path + ": no list of several keys was read before")
			}
			for key := range e.GetKey() {
				f.down.key = f.down.add(t, key)
			}
			s = f.down
		}
		for _, name := range p.leaves {
			s.add(t, name)
		}
	}
	return top
}

// add finds a field by its name in the models, once.
func (s *shape) add(t reflect.Type, name string) *field {
	if f, there := s.fields[name]; there {
		return f
	}
	for sf := range t.Fields() {
		if sf.Tag.Get("path") != name {
			continue
		}
		f := &field{name: name, index: sf.Index[0]}
		switch {
		case sf.Type.Kind() == reflect.Map:
			f.entry = sf.Type.Elem().Elem()
		case sf.Type.Kind() != reflect.Pointer || sf.Type.Elem().Kind() != reflect.Struct:
			f.set, f.takes = setter(sf.Type)
		}
		s.fields[name] = f
		return f
	}
	panic(fmt.Sprintf("%v has no field for %s", t, name))
}

// wrong is what cannot be read, and where. The path grows as the readers
// return.
type wrong struct {
	path string
	text string
}

func (w *wrong) Error() string {
	if w.path == "" {
		return "/: " + w.text
	}
	return w.path + ": " + w.text
}

// under says that an error is of what stands below a node.
func under(e *gpb.PathElem, err error) error {
	w, ok := err.(*wrong)
	if !ok {
		return err
	}
	step, bad := ygot.PathToString(&gpb.Path{Elem: []*gpb.PathElem{e}})
	if bad != nil { // a key that is empty, which YANG allows
		step = "/" + e.GetName()
	}
	return &wrong{step + w.path, w.text}
}

// refuse says what stands in the place of what is accepted.
func refuse(have []byte, accepted string) error {
	const most = 40
	if len(have) > most {
		have = append(slices.Clip(have[:most]), "..."...)
	}
	return &wrong{text: fmt.Sprintf("%s: accepted: %s", have, accepted)}
}

// object reads a JSON object into a struct.
func (s *shape) object(v any, into reflect.Value) error {
	members, is := v.(map[string]any)
	if !is && v != nil {
		return refuse(shown(v), "an object")
	}
	for _, name := range slices.SortedFunc(maps.Keys(members), s.keyFirst) {
		f, known := s.fields[local(name)]
		if !known {
			continue
		}
		if err := f.value(members[name], into.Field(f.index)); err != nil {
			return err
		}
	}
	return nil
}

// keyFirst orders names, the key of a list's entry before all: an error names it.
func (s *shape) keyFirst(a, b string) int {
	if s.key != nil && local(a) != local(b) {
		switch s.key.name {
		case local(a):
			return -1
		case local(b):
			return 1
		}
	}
	return strings.Compare(a, b)
}

// value reads a member of an object into its field.
func (f *field) value(v any, into reflect.Value) error {
	switch {
	case f.entry != nil:
		return f.array(v, into)
	case f.down != nil:
		return below(f, f.down.object(v, open(into)))
	case v == nil:
		return nil
	case into.Kind() == reflect.Slice:
		return f.elements(v, into, true)
	}
	return f.scalar(v, into, true)
}

// scalar reads a leaf, or an element of a leaf-list.
func (f *field) scalar(v any, into reflect.Value, strict bool) error {
	have := scalarOf(v)
	if have.strict = strict; !f.set(into, have) {
		return below(f, refuse(shown(v), f.takes))
	}
	return nil
}

// elements reads a leaf-list. One that is there is replaced.
func (f *field) elements(v any, into reflect.Value, strict bool) error {
	list, is := v.([]any)
	if !is {
		return below(f, refuse(shown(v), f.takes))
	}
	into.SetZero()
	for _, element := range list {
		if err := f.scalar(element, into, strict); err != nil {
			return err
		}
	}
	return nil
}

// below says that an error is of what stands in a field.
func below(f *field, err error) error {
	if err == nil {
		return nil
	}
	return under(&gpb.PathElem{Name: f.name}, err)
}

// open makes the struct that a field points at, unless it is there.
func open(into reflect.Value) reflect.Value {
	if into.IsNil() {
		into.Set(reflect.New(into.Type().Elem()))
	}
	return into.Elem()
}

// array reads the entries of a list. One that is there is added to.
func (f *field) array(v any, into reflect.Value) error {
	list, is := v.([]any)
	if !is && v != nil {
		return below(f, refuse(shown(v), "an array"))
	}
	if is && into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for _, element := range list {
		if err := f.element(element, into); err != nil {
			return err
		}
	}
	return nil
}

// element reads an entry of a list.
func (f *field) element(v any, into reflect.Value) error {
	entry := reflect.New(f.entry)
	if v != nil {
		if err := f.down.object(v, entry.Elem()); err != nil {
			return f.within(entry, err)
		}
	}
	key := entry.Elem().Field(f.down.key.index)
	if key.IsZero() {
		return below(f, refuse(shown(v), "an object with a "+f.down.key.name))
	}
	if key.Kind() == reflect.Pointer {
		key = key.Elem()
	}
	there := into.MapIndex(key)
	if !there.IsValid() {
		into.SetMapIndex(key, entry)
		return nil
	}
	return f.within(there, f.down.object(v, there.Elem()))
}

// within says that an error is of what stands in an entry, by its key if that
// was read.
func (f *field) within(entry reflect.Value, err error) error {
	if err == nil {
		return nil
	}
	e := &gpb.PathElem{Name: f.name}
	if key := entry.Elem().Field(f.down.key.index); !key.IsZero() {
		e.Key = map[string]string{f.down.key.name: fmt.Sprint(reflect.Indirect(key))}
	}
	return under(e, err)
}

// update reads one value of an answer, wherever it stands.
func (s *shape) update(path []*gpb.PathElem, v *gpb.TypedValue, into reflect.Value) error {
	if len(path) == 0 {
		value, err := inside(v)
		if err != nil {
			return err
		}
		return s.object(value, into)
	}
	e := path[0]
	f, known := s.fields[local(e.GetName())]
	if !known {
		return nil
	}
	at := into.Field(f.index)
	switch {
	case f.down == nil && len(path) == 1:
		return below(f, f.typed(v, at))
	case f.down == nil:
		return below(f, &wrong{text: "a leaf: accepted: nothing below it"})
	case f.entry == nil:
		return below(f, f.down.update(path[1:], v, open(at)))
	case len(path) == 1 && len(e.GetKey()) == 0:
		value, err := inside(v)
		if err != nil {
			return below(f, err)
		}
		return f.array(value, at)
	}
	entry, err := f.named(e.GetKey(), at)
	if err != nil {
		return below(f, err)
	}
	if err := f.down.update(path[1:], v, entry); err != nil {
		return under(&gpb.PathElem{Name: f.name, Key: e.GetKey()}, err)
	}
	return nil
}

// named finds or makes the entry of a list.
func (f *field) named(keys map[string]string, into reflect.Value) (reflect.Value, error) {
	name := f.down.key
	text, there := keys[name.name]
	if !there || len(keys) != 1 {
		return reflect.Value{}, &wrong{text: fmt.Sprintf("keys %v: accepted: %s", keys, name.name)}
	}
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	if key := reflect.ValueOf(text); into.Type().Key() == key.Type() {
		if there := into.MapIndex(key); there.IsValid() {
			return there.Elem(), nil
		}
	}
	entry := reflect.New(f.entry)
	at := entry.Elem().Field(name.index)
	if !name.set(at, scalar{kind: textual, text: text}) {
		return reflect.Value{}, below(name, refuse([]byte(text), name.takes))
	}
	key := reflect.Indirect(at)
	if there := into.MapIndex(key); there.IsValid() {
		return there.Elem(), nil
	}
	into.SetMapIndex(key, entry)
	return entry.Elem(), nil
}

// inside opens the JSON of a value.
func inside(v *gpb.TypedValue) (any, error) {
	data := slices.Concat(v.GetJsonIetfVal(), v.GetJsonVal()) // a value is one of the two, or neither
	if len(data) == 0 {
		return nil, &wrong{text: "no JSON, though JSON_IETF was asked for"}
	}
	if !json.Valid(data) {
		return nil, &wrong{text: json.Unmarshal(data, new(any)).Error()}
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // an integer of 64 bits is no float64
	_ = decoder.Decode(&value)
	return value, nil
}

// shown is a JSON value as text.
func shown(v any) []byte {
	text, _ := json.Marshal(v) // it was read from JSON
	return text
}

// local is a name without its module: openconfig-qos:qos is qos.
func local(name string) string { return name[strings.IndexByte(name, ':')+1:] }

// typed reads a leaf that has an update of its own.
func (f *field) typed(v *gpb.TypedValue, into reflect.Value) error {
	if into.Kind() == reflect.Slice {
		if list := v.GetLeaflistVal(); list != nil {
			into.SetZero()
			for _, one := range list.GetElement() {
				if err := f.one(one, into); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return f.one(v, into)
}

// one reads a leaf, or an element of a leaf-list.
func (f *field) one(v *gpb.TypedValue, into reflect.Value) error {
	var have scalar
	switch v := v.GetValue().(type) {
	case *gpb.TypedValue_StringVal:
		have = scalar{kind: textual, text: v.StringVal}
	case *gpb.TypedValue_UintVal:
		have = scalar{kind: numeric, text: strconv.FormatUint(v.UintVal, 10)}
	case *gpb.TypedValue_IntVal:
		have = scalar{kind: numeric, text: strconv.FormatInt(v.IntVal, 10)}
	case *gpb.TypedValue_BoolVal:
		have = scalar{kind: boolean, truth: v.BoolVal}
	case *gpb.TypedValue_JsonIetfVal, *gpb.TypedValue_JsonVal:
		value, err := inside(&gpb.TypedValue{Value: v})
		if err != nil || value == nil {
			return err
		}
		if _, list := value.([]any); list && into.Kind() == reflect.Slice {
			return f.elements(value, into, false)
		}
		have = scalarOf(value)
	default:
		return &wrong{text: fmt.Sprintf("a value as %T: accepted: %s", v, f.takes)}
	}
	if !f.set(into, have) {
		return refuse([]byte(have.String()), f.takes)
	}
	return nil
}
