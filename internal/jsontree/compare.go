package jsontree

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Text returns a leaf as text, without the quotes of JSON and without space around it; empty for what is not a leaf.
func Text(leaf any) string {
	switch v := leaf.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// Equal compares two leaves by value: integers are equal however they are written, as numbers or as strings.
func Equal(a, b any) bool {
	if Text(a) == Text(b) {
		return true
	}
	n, first := integer(a)
	m, second := integer(b)
	return first && second && n == m
}

// integer reads a leaf that is an integer of 64 bits in any form.
func integer(leaf any) (int64, bool) {
	if text, ok := leaf.(string); ok {
		leaf = strings.TrimSpace(text)
	}
	return Int(leaf, 64, AnyForm)
}

// Contains tells whether a tree has all of another one: every member of its objects, and every entry of its lists, in
// any order. What the tree has besides does not matter: it belongs to others.
func Contains(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := have.(map[string]any)
		for name, v := range want {
			if inner, there := object[name]; !there || !Contains(inner, v) {
				return false
			}
		}
		return ok
	case []any:
		list, ok := have.([]any)
		for _, v := range want {
			if !slices.ContainsFunc(list, func(entry any) bool { return Contains(entry, v) }) {
				return false
			}
		}
		return ok
	case nil:
		return have == nil
	}
	switch have.(type) {
	case nil, map[string]any, []any:
		return false
	}
	return Equal(have, want)
}
