// Package first makes the first screen of a plan: 24 lines of 100 columns that say whether it fits, where the memory
// is, how far it goes, on which assumptions that turns, and what to do next. Everything else is behind --all.
package first
