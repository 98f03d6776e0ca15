// Package web serves plans over HTTP: an API for programs, and a page for people.
//
// The API takes a topology as text or as an object, with changes as `cellwarden plan --set` takes them, and returns the
// published documents of package report and of package sim. It is described by /openapi.json, which is made of the Go
// types. The page (page.html, page.js) sends what a reader changes and shows the answer. Package report/page draws the
// answer, and gives the page its skeleton and its style. The page uses no other script.
//
// [New] returns the handler. It keeps no state between requests, and nothing that a request says names a file, a host
// or a command: topologies may name the files of package examples alone. Requests are bounded in size, in time and in
// number. Requests from pages of other origins are refused, and so are, on a loopback address, host names that are
// not loopback names: a page elsewhere cannot have the server work for it.
package web
