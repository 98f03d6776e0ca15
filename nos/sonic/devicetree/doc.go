// Package devicetree finds the folders of SONiC's device files and reads what an audit needs from them: which configurations
// a folder is made for, its ports, its headroom table, and what says which chip it is for.
//
// A source tree of sonic-buildimage has a folder for each kind of switch and use, its hwsku:
//
//	device/<vendor>/<platform>/<hwsku>
//
// In it are templates of CONFIG_DB (buffers.json.j2, buffers_dynamic.json.j2, qos.json.j2), with a file of definitions
// for each topology (buffers_defaults_t0.j2), and most of them are symbolic links. This package follows links inside
// the tree and refuses those that leave it. It renders nothing: nos/sonic/devicetree does, with the context that
// [Folder.Context] returns.
//
//	tree, below, err := devicetree.Open(name)
//	folders, outside, err := tree.Folders(ctx, below)
package devicetree
