// Package web serves plans over HTTP: an API for programs, and a page for people.
//
// Package answers makes the answers; this package has what a network needs. The API is described by /openapi.json,
// which a test makes of the Go types. Package live has the page, which sends what a reader changes and shows the answer.
//
// [New] returns the handler. It keeps no state between requests. Requests are bounded in size, in time and in number.
// Requests from pages of other origins are refused, and so are, on a loopback address, host names that are not loopback
// names: a page elsewhere cannot have the server work for it.
package web
