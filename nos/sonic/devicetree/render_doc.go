// Package devicetree renders the templates of SONiC's device files to the JSON of CONFIG_DB, as a switch does on its first
// boot and at config qos reload.
//
// The templates are rendered by Jinja itself, in a python3 of the user with jinja2, because they use so much of Jinja
// that no Go library renders them: of 2788 renderings the closest (gonja 2.9.1) has 68 right. A script of this package
// runs them in Jinja's sandbox, with the settings, filters and functions of sonic-cfggen. One process renders all, with
// bounds on the time, the memory and the text of each rendering; it can open no network, start no program and write no
// file. A template that breaks a bound is an [Error] in its result, and the next one is rendered.
//
//	r, err := devicetree.StartRenderer(ctx)
//	defer r.Close()
//
// [Renderer.Configurations] then returns what a switch of each folder has in CONFIG_DB, for each topology. It has no
// lossless groups for a switch of the traditional buffer model: its buffer manager makes them from the ports and the
// headroom table.
package devicetree
