// Package reference has the verbs that look things up: asic, schema, serve and version.
package reference
