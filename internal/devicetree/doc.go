// Package devicetree audits the hwsku folders of SONiC's device files.
//
// A source tree of sonic-buildimage has a folder for each kind of switch and use, its hwsku:
//
//	device/<vendor>/<platform>/<hwsku>
//
// In it are templates of CONFIG_DB (buffers.json.j2, buffers_dynamic.json.j2, qos.json.j2), with a file of definitions
// for each topology (buffers_defaults_t0.j2), and most of them are symbolic links. The package follows links inside
// the tree and refuses those that leave it. It finds the folders, renders their templates and joins the text with the
// checks of package audit:
//
//	tree, below, err := devicetree.Open("device/arista")
//	folders, outside, err := tree.Folders(ctx, below)
//	for result, err := range devicetree.Audit(ctx, tree, folders, devicetree.Options{}) {
//
// # Folders
//
// A [Folder] says which configurations it is made for, its ports, its headroom table, and what says which chip it has.
//
// # Templates
//
// A [Renderer] renders templates to the JSON of CONFIG_DB, as a switch does on its first boot and at config qos reload.
// They are rendered by Jinja itself, in a python3 of the user with jinja2, because they use so much of Jinja that no Go
// library renders them: of 2788 renderings the closest (gonja 2.9.1) has 68 right. A script of this package runs them
// in Jinja's sandbox, with the settings, filters and functions of sonic-cfggen. One process renders all, with bounds on
// the time, the memory and the text of each rendering; it can open no network, start no program and write no file. A
// template that breaks a bound is an [Error] in its result, and the next one is rendered.
//
// A [Rendering] is what a switch of a folder has in CONFIG_DB for one topology. It has no lossless groups for a switch
// of the traditional buffer model: its buffer manager makes them from the ports and the headroom table.
//
// # Findings
//
// A folder is audited for each of its topologies, with neighbours and without. The headroom table of a folder is
// checked once. A finding that several variants of a topology have is listed once. Findings about rendered text name
// the template of the folder and the line of the text, and the line of the template that printed it where that can be
// found.
package devicetree
