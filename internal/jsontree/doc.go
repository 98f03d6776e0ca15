// Package jsontree reads the values of gNMI answers as trees of JSON, and has one rule for each thing that every reader
// of such trees has to know. Package qos reads them into the structs of OpenConfig; package native keeps them as they
// are, because it has no models of the vendors. What differs between the two is an option here, with the reason.
//
// A tree is what encoding/json makes of a value: map[string]any for objects, []any for
// lists and leaf-lists, and for leaves string, json.Number, bool, or nil for null.
//
// # The rules
//
//	modules      the name of a member or element is what follows its first colon: Local, Unqualified;
//	             except in databases without models, where colons are parts of keys: Keys
//	documents    one JSON value, with nothing but space after it; nested 10000 deep at most: Decode
//	numbers      they keep their digits (json.Number), because a float64 holds 53 bits: Decode
//	integers     RFC 7951 quotes those of 64 bits, and no others: Uint and Int with RFC7951. In a value
//	             of its own, and in databases without models, both forms mean the same: AnyForm
//	comparison   leaves are equal by value, 5 and "5" and 5.0: Equal, Contains
//	wrapping     the value of a container may repeat the container's own name: Unwrap
//	keys         an entry of a list is found by one key: Child. Without models it is unknown which leaves
//	             are keys: entries are the same if all leaves that both have are equal: Merge
//	depth        the path of a value has at most MaxElems elements below what was asked for: Nest
//	paths        the path of a value is behind the one of its notification's prefix: Updates
//	leaves       they arrive as JSON, or as one of gNMI's scalars: Leaf
package jsontree
