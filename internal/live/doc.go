// Package live has the page on which a reader changes a topology and sees the plan follow: one body (page.html) and one
// script (page.js), which ask a server, or a module that the page itself brings.
//
// [Served] is the page of a server. [Module.Page] is the page as one file that loads nothing and works offline: it has
// the answers of package answers compiled for the browser (folder worker), packed, and runs them in a worker, so that
// the page itself never waits. Its policy allows its own script and style by their hashes, this module, and nothing
// else.
//
// The module is not in the repository. make.go builds it into the folder module, from where the next build of a program
// embeds it; a program that was built without says so ([ErrNone]).
package live
