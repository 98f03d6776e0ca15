// Package size has the verbs that size one link, one queue or one incast: headroom, fit, llr, ecn and burst.
package size
