package library

// Code is what a call returns: a result from 0, or an error below 0.
type Code = int32

// The codes, with the numbers of cellwarden.h.
const (
	OK          Code = 0
	DoesNotFit  Code = 1
	BadArgument Code = -1
	BadQuestion Code = -2
	BadHandle   Code = -3
	Busy        Code = -4
	OutOfRange  Code = -5
	NotHeld     Code = -6
	Forked      Code = -7
	Fault       Code = -8
	NoMemory    Code = -9
	TooMany     Code = -10
)

// The bits of a result, with the numbers of cellwarden.h.
const (
	Admitted Code = 1 << iota
	XOFF
	XON
	Room
	causeShift Code = 8
)
