// Package revision makes a folder of what an audit reads of a revision of a git repository, or of a revision and a
// patch, without a change of the user's work tree.
//
// The folder is a temporary one. In it are the files of device and files/build_templates that internal/devicetree
// reads, and their symbolic links. git is asked for its objects only; it writes nothing, starts no program of the
// repository, and fetches nothing.
//
//	before, err := revision.Open(ctx, newFolder, dir, "HEAD")
//	defer before.Close()
//
// A process that a signal ends does not come to Close: Open takes a folder that such a process removes by itself.
package revision
