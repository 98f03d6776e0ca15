// Package plan has the verbs that plan a switch and answer questions about its plan: plan, capacity, explain, diff,
// sweep, merge, report and init.
package plan
