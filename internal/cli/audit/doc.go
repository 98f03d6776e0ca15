// Package audit has the verbs that say what a switch has: audit and import.
package audit
