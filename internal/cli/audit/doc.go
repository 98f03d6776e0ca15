// Package audit has the verbs that say what a switch has: audit, lint, import and watch.
package audit
