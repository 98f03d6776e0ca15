package junos

import (
	"strings"

	"github.com/cellwarden/cellwarden/nos"
)

// title is the name of the system in reports.
const title = "Junos"

// System is Juniper Junos on QFX switches.
var System = nos.System{Name: "junos", Title: title, Read: read, Render: render, Profile: gnmiProfile,
	Marks: nos.Marks{Members: []string{`:class-of-service"`, `"class-of-service"`}, Line: isLine}}

// isLine tells whether a line is of Junos alone: a statement in braces, or one of the form with set.
func isLine(line string) bool {
	text := strings.Join(strings.Fields(line), " ")
	if strings.HasSuffix(text, ";") || strings.HasSuffix(text, "{") && !strings.HasPrefix(text, "!") {
		return true
	}
	for _, begin := range []string{"set class-of-service ", "set system host-name", "## Last ", "set version",
		"set interfaces "} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}
