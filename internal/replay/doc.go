// Package replay sizes the replay buffer of link-layer retry (LLR) and reads, fits
// and writes SONiC's llr_profile_lookup.ini.
//
// With LLR the sender numbers its frames and keeps each until the other end has acknowledged it. If one arrives
// corrupted, the other end sends a negative acknowledgement, and the sender repeats that frame and all after it
// (go-back-N). The frames that are kept are the outstanding ones. If there is room for fewer than the link holds on its
// way out and back, the link is slower.
//
//		r, err := replay.Size(replay.Port{Link: link})
//
//	  - size.go: frames and bytes outstanding for a link, and its least timer
//	  - column.go: the columns of a profile with their bounds
//	  - table.go: the file, read and written, rows for other lengths, and what is suspect in a row
//
// Sources: SAI 1.18, doc/LLR; SONiC, doc/llr. Both quote UEC 1.0, which was not
// at hand: see package cbfc for what is inferred.
package replay
