// Package named gives the numbers of constants their names in files, flags and messages. The names are a list, in the
// order of the numbers.
package named

import (
	"fmt"
	"slices"
	"strings"
)

// Of returns the name of a number. Of one that has none it returns what it would be, and the number: "medium 7".
func Of[T ~int | ~uint8](n T, what string, names ...string) string {
	if n < 0 || int(n) >= len(names) {
		return fmt.Sprintf("%s %d", what, n)
	}
	return names[n]
}

// Parse returns the number with a name. The error says what the text is not, and lists the names: `"air" is not a
// medium (want fibre, copper)`.
func Parse[T ~int | ~uint8](text, not string, names ...string) (T, error) {
	n := slices.Index(names, text)
	if n < 0 {
		return 0, fmt.Errorf("%q is %s (want %s)", text, not, strings.Join(names, ", "))
	}
	return T(n), nil
}
