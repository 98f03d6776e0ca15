// Package report writes the results of cellwarden as documents that other programs read. A document has a schema name
// with a version, snake_case keys that end in their unit, and everything that the result has: what a table on a
// terminal leaves out is here.
//
// [Documents] is the table of all kinds: the verbs of the command, the web page and libraries fill them, a client
// decodes them with encoding/json, and their JSON Schemas are made of these types. A struct that has one use has no
// name of its own and is in the type of its document.
//
// Package report is pure: a value in, a value out, and encoding/json does the rest.
package report
