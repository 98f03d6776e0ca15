// Package plan has the verbs that plan a switch and answer questions about its plan: plan, capacity, sweep and init;
// diff has a package of its own.
//
// plan.go chooses what plan does: one topology, many, a comparison of methods, a folder of SONiC, or a page. One
// topology is planned, its additions are computed (additions.go), and the whole is printed as a screen
// (table.go, fold.go; its first screen is package first) or as a page (page.go). Many topologies
// are answered as JSON Lines by many.go, for capacity as well. sweep.go makes many topologies of one, by values of its
// keys. Both can be divided among machines and put together again (merge.go).
//
// init.go writes a topology to begin with, with ports from lists if there are any.
//
// A plan that does not fit is an answer and no error: it is printed like another, with the exit code 3.
package plan
