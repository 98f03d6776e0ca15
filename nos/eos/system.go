package eos

import (
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/nos"
)

// title is the name of the system in reports.
const title = "EOS"

// System is Arista EOS.
var System = nos.System{Name: "eos", Title: title, Read: read, Render: render, Profile: gnmiProfile,
	Marks: nos.Marks{Members: []string{`"arista-qos-augments:`, `"openconfig-qos:qos"`}, Line: isLine}}

// begins is the mark of lines of EOS by their first words.
var begins = nos.Begins("! device:", "! Command: show running-config", "! boot system", "priority-flow-control on",
	"no priority-flow-control on", "platform trident ", "qos map ", "qos profile ", "tx-queue ", "uc-tx-queue ",
	"service routing protocols model", "daemon ", "transceiver qsfp default-mode", "ingress headroom ", "qos trust ")

// priority is the mark of the priorities of PFC, which have a word of EOS alone behind them.
var priority = nos.Begins("priority-flow-control priority ")

// isLine tells whether a line is of EOS alone.
func isLine(line string) bool {
	return begins(line) || priority(line) && slices.Contains(strings.Fields(line), "no-drop")
}
