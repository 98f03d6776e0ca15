// Package link has the verb that compares the two ends of a link.
package link
