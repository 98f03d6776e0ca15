// Package devicetree audits the hwsku folders of SONiC's device files: it joins what package nos/sonic/devicetree finds in a folder
// and package nos/sonic/devicetree renders from it with the checks of package audit.
//
//	tree, below, err := devicetree.Open("device/arista")
//	folders, err := tree.Folders(ctx, below)
//	for result, err := range device.Audit(ctx, tree, folders, device.Options{}) {
//
// A folder is audited for each of its topologies, with neighbours and without. The headroom table of a folder is
// checked once. A finding that several variants of a topology have is listed once.
//
// Findings about rendered text name the template of the folder and the line of the text, and the line of the template
// that printed it where that can be found.
package devicetree
