// Package first makes the first screen of a plan: 24 lines of 100 columns that say whether it fits, where the memory
// is, how far it goes, on which assumptions that turns, and what to do next. Everything else is behind --all.
//
// plan.go has the parts in the order of the screen. Two of them are computed for it alone and are in the document of
// the plan as well: how far the plan goes (further.go, a search in package capacity), and the commands to run next. A
// screen that is too long is made again with shorter lists, until it fits. capacity.go does the same for answers of the
// verb capacity.
package first
