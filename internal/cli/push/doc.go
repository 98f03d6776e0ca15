// Package push has the verbs that bring a plan to a switch and keep it there: apply, resume, drift, render, target and
// profiles.
package push
