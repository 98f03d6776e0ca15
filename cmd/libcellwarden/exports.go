package main

// #include <stdlib.h>
// #include "cellwarden.h"
import "C"

import (
	"unsafe"

	"github.com/cellwarden/cellwarden/internal/library"
)

// switches are the MMUs of the process.
var switches library.Table

// The forms of C and of Go are the same: these do not compile otherwise.
var (
	_ = [1]int{}[unsafe.Sizeof(C.cellwarden_operation{})-unsafe.Sizeof(library.Operation{})]
	_ = [1]int{}[unsafe.Sizeof(C.cellwarden_signal{})-unsafe.Sizeof(library.Signal{})]
	_ = [1]int{}[unsafe.Sizeof(C.cellwarden_group{})-unsafe.Sizeof(library.Group{})]
	_ = [1]int{}[unsafe.Sizeof(C.cellwarden_counters{})-unsafe.Sizeof(library.Counters{})]
	_ = [1]int{}[C.CELLWARDEN_MMUS-library.MaxSwitches]
	_ = [1]int{}[C.CELLWARDEN_QUESTION-library.MaxQuestion]
	_ = [1]int{}[C.CELLWARDEN_BYTES-library.MaxBytes]
)

// question returns the text of a question. cellwarden.c has checked that it is there, and its length.
func question(text *C.char, length C.size_t) []byte {
	return C.GoBytes(unsafe.Pointer(text), C.int(length))
}

// give writes an answer where the caller wants it. Without memory for the document there is no answer.
func give(a library.Answer, to **C.char) library.Code {
	if to == nil {
		return a.Code
	}
	memory := C.calloc(C.size_t(len(a.Text)+1), 1) // the last byte is the end
	if memory == nil {
		return library.NoMemory
	}
	copy(unsafe.Slice((*byte)(memory), len(a.Text)), a.Text)
	*to = (*C.char)(memory)
	return a.Code
}

//export cellwardenGoPlan
func cellwardenGoPlan(text *C.char, length C.size_t, answer **C.char) int32 {
	return give(library.Plan(question(text, length)), answer)
}

//export cellwardenGoExplain
func cellwardenGoExplain(text *C.char, length C.size_t, answer **C.char) int32 {
	return give(library.Explain(question(text, length)), answer)
}

//export cellwardenGoNew
func cellwardenGoNew(text *C.char, length C.size_t, mmu *C.cellwarden_mmu, answer **C.char) int32 {
	made, a := library.NewSwitch(question(text, length))
	code := give(a, answer)
	if code != library.OK {
		return code
	}
	handle, code := switches.Add(made)
	*mmu = C.cellwarden_mmu(handle)
	return code
}

//export cellwardenGoFree
func cellwardenGoFree(mmu uint64) int32 { return switches.Remove(mmu) }

//export cellwardenGoPorts
func cellwardenGoPorts(mmu uint64) int32 {
	return switches.Use(mmu, func(s *library.Switch) library.Code { return library.Code(s.Ports()) })
}

//export cellwardenGoPort
func cellwardenGoPort(mmu uint64, name *C.char) int32 {
	text := C.GoString(name)
	return switches.Use(mmu, func(s *library.Switch) library.Code { return s.Port(text) })
}

//export cellwardenGoCell
func cellwardenGoCell(mmu uint64) int32 { return switches.Use(mmu, (*library.Switch).Cell) }

//export cellwardenGoArrive
func cellwardenGoArrive(mmu uint64, in, out, priority, bytes int32) int32 {
	p := library.Packet{In: in, Out: out, Priority: priority, Bytes: bytes}
	return switches.Use(mmu, func(s *library.Switch) library.Code { return s.Arrive(p) })
}

//export cellwardenGoLeave
func cellwardenGoLeave(mmu uint64, in, out, priority, bytes int32) int32 {
	p := library.Packet{In: in, Out: out, Priority: priority, Bytes: bytes}
	return switches.Use(mmu, func(s *library.Switch) library.Code { return s.Leave(p) })
}

//export cellwardenGoResume
func cellwardenGoResume(mmu uint64, port, priority *int32) int32 {
	return switches.Use(mmu, func(s *library.Switch) library.Code {
		onPort, of, ok := s.Resume()
		if !ok {
			return 0
		}
		*port, *priority = onPort, of
		return 1
	})
}

//export cellwardenGoBatch
func cellwardenGoBatch(mmu uint64, operations unsafe.Pointer, count int32, signals unsafe.Pointer, room int32,
	signalled *int32) int32 {
	return switches.Use(mmu, func(s *library.Switch) library.Code {
		done, n := s.Batch(unsafe.Slice((*library.Operation)(operations), count),
			unsafe.Slice((*library.Signal)(signals), room))
		if signalled != nil {
			*signalled = n
		}
		return done
	})
}

//export cellwardenGoGroup
func cellwardenGoGroup(mmu uint64, port, priority int32, group unsafe.Pointer) int32 {
	return switches.Use(mmu, func(s *library.Switch) library.Code {
		g, code := s.Group(port, priority)
		if code == library.OK {
			*(*library.Group)(group) = g
		}
		return code
	})
}

//export cellwardenGoCounters
func cellwardenGoCounters(mmu uint64, counters unsafe.Pointer) int32 {
	return switches.Use(mmu, func(s *library.Switch) library.Code {
		*(*library.Counters)(counters) = s.Counters()
		return library.OK
	})
}
