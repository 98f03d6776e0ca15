// Package configdb reads CONFIG_DB, the configuration of a SONiC switch, as a document: tables of entries of fields,
// in the order of the file, each with its file and line.
//
//	db, err := configdb.Read("config_db.json", data, "BUFFER_POOL")
//	size := db.Table("BUFFER_POOL").Entry("ingress_lossless_pool").Field("size")
//
// An audit names the line that is wrong, and a switch takes the last of two entries with one key without a word. So
// [Read] keeps the lines and lists keys that are given twice among the [Database.Problems], where package
// nos/sonic, which compares what a switch has with a plan, needs neither. The methods of a nil Table and of a nil
// Entry return nothing, so that a table that is not there needs no test.
//
// maxBytes, maxValues and maxText bound what is read. A file of 512 ports has 2 MB and takes 60 ms.
package configdb
