// Package calibrate x.
package calibrate
