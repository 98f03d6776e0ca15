// Package audit has the verbs that say what a switch has: audit, import and watch.
package audit
