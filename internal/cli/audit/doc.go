// Package audit has the verbs that say what a switch has: audit and import.
//
// audit.go checks the flags, and sources.go finds what the command line names: files of any system, folders of SONiC's
// device files, headroom tables (tables.go), or a switch. Each configuration is read by the package of its system (nos)
// into one form, audited by package audit, and added to one report (report.go). With --since or --patch the same is
// done for the state before a change, and the difference is reported (since.go). --verify also simulates what was read
// (verify.go).
//
// import (import.go) reads in the same way and hands each result to package audit/intent, which makes a topology of it;
// import_report.go says what a topology cannot say.
//
// An audit goes on after an error of one file: what cannot be read is a finding, and only what the command line names
// itself ends the run.
package audit
