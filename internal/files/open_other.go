//go:build !unix

package files

// atOnce is nothing: a system that is not Unix has no pipes and devices in its folders.
const atOnce = 0
