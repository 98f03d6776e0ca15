package scenario

import (
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// Class is a named priority. Its number in Scenario.Classes is what other keys of the file turn its name into;
// packets and pauses have the priority.
type Class struct {
	Name     string
	Priority int
	Lossless bool
	DSCP     int // of its packets
}

// class reads a class. The DSCP of its packets is 8 times the priority, the
// class selector of RFC 2474, unless the file gives another. A class that was refused is kept all the same, so that
// later keys which name it are not refused for that.
func (r *reader) class(v *document.Value) {
	f := v.Fields("name", "priority", "lossless", "dscp")
	v.Need(f, "name", "priority")
	c := Class{Name: f["name"].Label(), Priority: int(f["priority"].Integer(0, fabric.Priorities-1)),
		Lossless: f["lossless"].Boolean()}
	// 0 to 56: the class selectors CS0 to CS7.
	c.DSCP = 8 * c.Priority
	// 0 is a code point, so the presence of the key decides.
	if f["dscp"] != nil {
		c.DSCP = int(f["dscp"].Integer(0, 63))
	}
	for _, o := range r.s.Classes {
		// Queue, group and pauses belong to the priority: two classes on one would be one class with two names.
		if o.Priority == c.Priority && f["priority"] != nil {
			f["priority"].Refuse("a priority that no other class has; " + o.Name + " has it")
		}
	}
	if _, twice := r.classes[c.Name]; f["name"] != nil && (twice || c.Name == "" || c.Name == otherClass) {
		f["name"].Refuse("a name that no other class has, and not " + otherClass)
	}
	r.classes[c.Name] = len(r.s.Classes)
	r.s.Classes = append(r.s.Classes, c)
}

// classOf reads the name of a class, or -1. -1 is also what an absent key gives, and then nothing was complained
// about.
func (r *reader) classOf(v *document.Value) int {
	if v == nil {
		return -1
	}
	i, ok := r.classes[v.Text()]
	if !ok && len(r.classes) == 0 {
		v.Refuse("none: the file has no classes")
		return -1
	}
	if !ok {
		v.Refuse("a class: " + strings.Join(r.classNames(), ", "))
		return -1
	}
	return i
}

// classNames returns the names of all classes.
func (r *reader) classNames() []string {
	return grouped.Each(r.s.Classes, func(c Class) string { return c.Name })
}

// eachClass calls do for each class in a mapping, in the order of the classes.
func (r *reader) eachClass(v *document.Value, do func(v *document.Value, c *Class)) {
	f := v.Fields(r.classNames()...)
	for i := range r.s.Classes {
		if x := f[r.s.Classes[i].Name]; x != nil {
			do(x, &r.s.Classes[i])
		}
	}
}

// otherClass is the name of the group and the queue of all priorities without a
// class.
const otherClass = "other"

// byClass calls do for each class in a mapping, in the order of the classes.
// The name "other" stands for the index after the last class.
func (r *reader) byClass(v *document.Value, do func(v *document.Value, class int)) {
	names := append(r.classNames(), otherClass)
	f := v.Fields(names...)
	for i, name := range names {
		if f[name] != nil {
			do(f[name], i)
		}
	}
}
