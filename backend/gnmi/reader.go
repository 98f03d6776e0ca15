package gnmi

import (
	"fmt"
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
func (s *shape) object(c *cursor, into reflect.Value) error {
	switch c.next() {
	case 'n':
		c.skip()
		return nil
	case '{':
	default:
		return refuse(c.skip(), "an object")
	}
	return c.members(func(name []byte) error {
		f, known := s.fields[string(local(name))]
		if !known {
			c.skip()
			return nil
		}
		if f.entry != nil {
			return f.array(c, into.Field(f.index))
		}
		return f.value(c, into.Field(f.index))
	})
}

// value reads a member of an object into its field.
func (f *field) value(c *cursor, into reflect.Value) error {
	if f.down != nil {
		return below(f, f.down.object(c, open(into)))
	}
	if c.next() == 'n' {
		c.skip()
		return nil
	}
	if into.Kind() == reflect.Slice {
		return f.elements(c, into, true)
	}
	start := c.at
	v := scalarOf(c)
	if v.strict = true; !f.set(into, v) {
		return below(f, refuse(c.data[start:c.at], f.takes))
	}
	return nil
}

// elements reads a leaf-list. One that is there is replaced.
func (f *field) elements(c *cursor, into reflect.Value, strict bool) error {
	if c.next() != '[' {
		return below(f, refuse(c.skip(), f.takes))
	}
	into.SetZero()
	return c.elements(func() error {
		start := c.at
		v := scalarOf(c)
		if v.strict = strict; !f.set(into, v) {
			return below(f, refuse(c.data[start:c.at], f.takes))
		}
		return nil
	})
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
func (f *field) array(c *cursor, into reflect.Value) error {
	switch c.next() {
	case 'n':
		c.skip()
		return nil
	case '[':
	default:
		return below(f, refuse(c.skip(), "an array"))
	}
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	return c.elements(func() error {
		start := c.at
		entry := reflect.New(f.entry)
		if c.next() != '{' {
			return below(f, refuse(c.skip(), "an object with a "+f.down.key.name))
		}
		if err := f.down.object(c, entry.Elem()); err != nil {
			return f.within(entry, err)
		}
		key := entry.Elem().Field(f.down.key.index)
		if key.IsZero() {
			return below(f, refuse(c.data[start:c.at], "an object with a "+f.down.key.name))
		}
		if key.Kind() == reflect.Pointer {
			key = key.Elem()
		}
		there := into.MapIndex(key)
		if !there.IsValid() {
			into.SetMapIndex(key, entry)
			return nil
		}
		c.at = start
		return f.within(there, f.down.object(c, there.Elem()))
	})
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
		c, err := inside(v)
		if err != nil {
			return err
		}
		return s.object(c, into)
	}
	e := path[0]
	f, known := s.fields[e.GetName()[strings.IndexByte(e.GetName(), ':')+1:]]
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
		c, err := inside(v)
		if err != nil {
			return below(f, err)
		}
		return f.array(c, at)
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
	if !name.set(at, scalar{kind: textual, text: []byte(text)}) {
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
func inside(v *gpb.TypedValue) (*cursor, error) {
	data := slices.Concat(v.GetJsonIetfVal(), v.GetJsonVal()) // a value is one of the two, or neither
	if len(data) == 0 {
		return nil, &wrong{text: "no JSON, though JSON_IETF was asked for"}
	}
	c, err := newCursor(data)
	if err != nil {
		return nil, &wrong{text: err.Error()}
	}
	return c, nil
}

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
		have = scalar{kind: textual, text: []byte(v.StringVal)}
	case *gpb.TypedValue_UintVal:
		have = scalar{kind: numeric, text: strconv.AppendUint(nil, v.UintVal, 10)}
	case *gpb.TypedValue_IntVal:
		have = scalar{kind: numeric, text: strconv.AppendInt(nil, v.IntVal, 10)}
	case *gpb.TypedValue_BoolVal:
		have = scalar{kind: boolean, truth: v.BoolVal}
	case *gpb.TypedValue_JsonIetfVal, *gpb.TypedValue_JsonVal:
		c, err := inside(&gpb.TypedValue{Value: v})
		if err != nil {
			return err
		}
		if c.next() == 'n' {
			return nil
		}
		if into.Kind() == reflect.Slice && c.next() == '[' {
			return f.elements(c, into, false)
		}
		have = scalarOf(c)
	default:
		return &wrong{text: fmt.Sprintf("a value as %T: accepted: %s", v, f.takes)}
	}
	if !f.set(into, have) {
		return refuse([]byte(have.String()), f.takes)
	}
	return nil
}
