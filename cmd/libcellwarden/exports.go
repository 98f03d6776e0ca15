package main

// #include "cellwarden.h"
// void *cellwarden_memory(size_t bytes);
import "C"

import (
	"strings"
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
func give(a library.Answer, to **C.char) C.int32_t {
	if to == nil {
		return C.int32_t(a.Code)
	}
	memory := (*C.char)(C.cellwarden_memory(C.size_t(len(a.Text) + 1)))
	if memory == nil {
		return C.CELLWARDEN_E_MEMORY
	}
	text := unsafe.Slice((*byte)(unsafe.Pointer(memory)), len(a.Text)+1)
	copy(text, a.Text)
	text[len(a.Text)] = 0
	*to = memory
	return C.int32_t(a.Code)
}

//export cellwardenGoPlan
func cellwardenGoPlan(text *C.char, length C.size_t, answer **C.char) C.int32_t {
	return give(library.Plan(question(text, length)), answer)
}

//export cellwardenGoExplain
func cellwardenGoExplain(text *C.char, length C.size_t, answer **C.char) C.int32_t {
	return give(library.Explain(question(text, length)), answer)
}

//export cellwardenGoNew
func cellwardenGoNew(text *C.char, length C.size_t, mmu *C.cellwarden_mmu, answer **C.char) C.int32_t {
	made, a := library.NewSwitch(question(text, length))
	code := give(a, answer)
	if code != C.CELLWARDEN_OK {
		return code
	}
	handle, added := switches.Add(made)
	*mmu = C.cellwarden_mmu(handle)
	return C.int32_t(added)
}

//export cellwardenGoFree
func cellwardenGoFree(mmu C.cellwarden_mmu) C.int32_t { return C.int32_t(switches.Remove(uint64(mmu))) }

// use calls a function with the switch of a handle.
func use(mmu C.cellwarden_mmu, call func(*library.Switch) library.Code) C.int32_t {
	return C.int32_t(switches.Use(uint64(mmu), call))
}

//export cellwardenGoPorts
func cellwardenGoPorts(mmu C.cellwarden_mmu) C.int32_t {
	return use(mmu, func(s *library.Switch) library.Code { return library.Code(s.Ports()) })
}

//export cellwardenGoPort
func cellwardenGoPort(mmu C.cellwarden_mmu, name *C.char) C.int32_t {
	text := strings.Clone(C.GoString(name))
	return use(mmu, func(s *library.Switch) library.Code { return s.Port(text) })
}

//export cellwardenGoCell
func cellwardenGoCell(mmu C.cellwarden_mmu) C.int32_t { return use(mmu, (*library.Switch).Cell) }

// packet is a packet of C.
func packet(in, out, priority, bytes C.int32_t) library.Packet {
	return library.Packet{In: int32(in), Out: int32(out), Priority: int32(priority), Bytes: int32(bytes)}
}

//export cellwardenGoArrive
func cellwardenGoArrive(mmu C.cellwarden_mmu, in, out, priority, bytes C.int32_t) C.int32_t {
	return use(mmu, func(s *library.Switch) library.Code { return s.Arrive(packet(in, out, priority, bytes)) })
}

//export cellwardenGoLeave
func cellwardenGoLeave(mmu C.cellwarden_mmu, in, out, priority, bytes C.int32_t) C.int32_t {
	return use(mmu, func(s *library.Switch) library.Code { return s.Leave(packet(in, out, priority, bytes)) })
}

//export cellwardenGoResume
func cellwardenGoResume(mmu C.cellwarden_mmu, port, priority *C.int32_t) C.int32_t {
	return use(mmu, func(s *library.Switch) library.Code {
		onPort, of, ok := s.Resume()
		if !ok {
			return 0
		}
		*port, *priority = C.int32_t(onPort), C.int32_t(of)
		return 1
	})
}

//export cellwardenGoBatch
func cellwardenGoBatch(mmu C.cellwarden_mmu, operations *C.cellwarden_operation, count C.int32_t,
	signals *C.cellwarden_signal, room C.int32_t, signalled *C.int32_t) C.int32_t {
	return use(mmu, func(s *library.Switch) library.Code {
		done, n := s.Batch(unsafe.Slice((*library.Operation)(unsafe.Pointer(operations)), int(count)),
			unsafe.Slice((*library.Signal)(unsafe.Pointer(signals)), int(room)))
		if signalled != nil {
			*signalled = C.int32_t(n)
		}
		return done
	})
}

//export cellwardenGoGroup
func cellwardenGoGroup(mmu C.cellwarden_mmu, port, priority C.int32_t, group *C.cellwarden_group) C.int32_t {
	return use(mmu, func(s *library.Switch) library.Code {
		g, code := s.Group(int32(port), int32(priority))
		if code == library.OK {
			*(*library.Group)(unsafe.Pointer(group)) = g
		}
		return code
	})
}

//export cellwardenGoCounters
func cellwardenGoCounters(mmu C.cellwarden_mmu, counters *C.cellwarden_counters) C.int32_t {
	return use(mmu, func(s *library.Switch) library.Code {
		*(*library.Counters)(unsafe.Pointer(counters)) = s.Counters()
		return library.OK
	})
}
