// Package library is what programs in other languages get: questions and answers as JSON, and MMUs by number. The
// command libcellwarden gives it a C interface, and cellwarden.h there says what each function does; nothing here knows
// of C.
//
// Nothing that a caller passes panics: an index is looked at before it is used,
// and a fault of this program becomes [Fault].
package library
