// Package answers has what the page and the API of cellwarden answer, without a network: questions as JSON in, the
// published documents of packages report and sim out. A topology in a question is text or an object, with changes as
// `cellwarden plan --set` takes them. Nothing that a question says names a file of the machine, a host or a command: a
// topology may name the files that the question brings, and those of package examples.
//
// Package web serves the answers over HTTP, within bounds; package live has them in a page that needs no server, where
// they are compiled for the browser. [Ask] answers as the server does, byte by byte.
package answers
