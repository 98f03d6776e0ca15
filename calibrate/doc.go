// Package calibrate turns what was measured on a switch into the numbers of its chip and of its configuration.
//
// [Measurements] are probes of groups that were filled until they paused and dropped ([Fill]), packets that were stored
// or refused in a known state ([Point]), equal packets in an empty memory ([Stored]), watermarks under traffic ([Use]),
// and links with and without drops ([PausedLink]). An [Assumption] is what is known already, from a configuration or a
// chip. [Calibrate] returns a [Result]: an interval for each [Parameter], with the measurements and the assumptions
// that it rests on. What nothing bounds is not known.
//
// The answers of a switch are whole numbers, and some are capped. So nothing is fitted. An interval has every number
// that agrees with all measurements:
//
//   - Cell and overhead, alpha and the rules of comparison are few. Each combination is looked at.
//   - Shared cells, reserved cells and packets that leak out are many. All readings of a fill grow with them, so that a
//     box of candidates is cut at its corners, and halved until its ends are exact. The solver and the model of a fill
//     are those of internal/rules, as of the verb identify; a test compares the model with package buffer/mmu.
//   - Headroom follows from the drops, XON from the packets that left, over the candidates for the pool.
//   - The delays of a link follow from its drops, for each speed of light that a cable can have.
//
// If nothing agrees with everything, Calibrate looks for the single assumption, and then for the single reading,
// without which the rest agrees: a [Contradiction]. [Result.Next] names the measurement that would tell the most.
// [LeaveOneOut] predicts each group from all others. [Result.Chip] makes a chip with the numbers that are exact.
//
//	r, err := calibrate.Calibrate(m, nil)
//
// The model: groups of one slice and of equal configuration, one pool, a dynamic limit, no port limits, an egress that
// takes everything. Headroom is dedicated or one shared pool. What a switch does beside that is not modelled, and shows
// as a contradiction at best.
//
// The files:
//
//   - measurement.go, assume.go, result.go: what goes in and comes out
//   - calibrate.go, problem.go, parameters.go: the search over everything, contradictions
//   - headroom.go, cell.go, delay.go: the models
//   - solve.go: what was read of a pool, for the solver of internal/rules
//   - headroom_xon.go: headroom and XON, which follow from the pool
//   - predict.go, next.go, chip.go: predictions, the next measurement, the chip
package calibrate
