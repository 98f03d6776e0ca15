// Package reference has the verbs that look things up: explain, asic, schema, serve, man and version.
//
// explain answers about one topology and one port of it: where a number comes from, term by term. asic prints the two
// catalogues, of chips (asic.go) and of what each kind of gNMI switch accepts (profiles.go). schema and man print what
// the program knows of itself, from the types of package report and the texts of --help, so that neither can be
// forgotten when those change. serve is the page and the API of package web; this package listens and ends.
package reference
