// Package capacity answers questions about an intent: how long can a cable be, how many ports fit, which ratio of a
// headroom pool is safe. A topology says what a switch has; an architect asks how much further it goes.
//
// [Ask] answers by planning. It tries values of one thing, all else as it is, until it has one that fits and whose next
// step is refused. An [Answer] carries both intents, so that a caller can plan them too:
//
//	answers, err := capacity.Ask(in, entries, capacity.CableAll)
//
// An answer names the limit that refuses the next step ([Constraint]), and the one that would come after it. It holds
// for the placement of the intent: ports without a pipe take the pipes in turn.
//
// Most questions are searched by bisection, because what they vary can only make an intent harder to fit: a longer
// cable, a larger frame, one more port. Where that is not so, as for the rows of a vendor's table, for priorities that
// change their class, and for the frames that fill the headroom, every value is looked at.
package capacity
