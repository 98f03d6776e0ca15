/* cellwarden.h: the C interface of cellwarden (Apache License 2.0).
 *
 * cellwarden models the buffer manager (MMU) of a switch ASIC. This library plans a switch, explains the numbers of a
 * plan, and admits packets as the planned chip does. docs/c.md has examples.
 *
 * Every function that begins with cellwarden_ may be called from any thread. An MMU is used by one thread at a time:
 * a second call meanwhile returns CELLWARDEN_E_BUSY and does nothing. A returned number from 0 is a result; a negative
 * one is an error, and then nothing has changed. cellwarden_error() has a text for each.
 *
 * The library contains the Go runtime. It starts threads when it is loaded, installs handlers of SIGSEGV, SIGBUS,
 * SIGFPE, SIGPIPE and SIGURG that pass on what is not its own, and stays loaded after dlclose(). In a process that was
 * forked without exec() after the library was loaded, every call returns CELLWARDEN_E_FORKED.
 */
#ifndef CELLWARDEN_H
#define CELLWARDEN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows when a function, a code or a field changes its meaning or goes away; things
 * that are added leave it. Compare it with cellwarden_abi() of the library that was loaded. */
#define CELLWARDEN_ABI 1
int32_t cellwarden_abi(void);

/* Codes. */
#define CELLWARDEN_OK 0
#define CELLWARDEN_DOES_NOT_FIT 1      /* the chip refuses the plan: the answer says which ports, and what would help */
#define CELLWARDEN_E_ARGUMENT (-1)     /* a null pointer, or a length that cannot be */
#define CELLWARDEN_E_QUESTION (-2)     /* the question is refused: the answer says where and what is wanted */
#define CELLWARDEN_E_HANDLE (-3)       /* no MMU has this handle, or it was freed */
#define CELLWARDEN_E_BUSY (-4)         /* another thread is using this MMU */
#define CELLWARDEN_E_RANGE (-5)        /* no such port or priority, or bytes out of range */
#define CELLWARDEN_E_NOT_HELD (-6)     /* the group or the queue holds fewer cells than this packet would give back */
#define CELLWARDEN_E_FORKED (-7)       /* the process was forked without exec after the library was loaded */
#define CELLWARDEN_E_FAULT (-8)        /* a fault in cellwarden: please report it; its MMU is not used again */
#define CELLWARDEN_E_MEMORY (-9)       /* no memory for the answer */
#define CELLWARDEN_E_TOO_MANY (-10)    /* CELLWARDEN_MMUS are in use: free some */

/* cellwarden_error returns the text of a code; never NULL, and not to be freed. */
const char *cellwarden_error(int32_t code);

/* Questions and answers are JSON in UTF-8. *answer receives a text that ends with a zero byte: the document, or, with a
 * negative code, what is wrong, a line for each complaint. It is NULL if there is no more to say than
 * cellwarden_error(). Give it to cellwarden_free(). A question has at most CELLWARDEN_QUESTION bytes, and these keys:
 *
 *   "topology"  the topology of one switch: an object, or a text in YAML or JSON (docs/topology.md)
 *   "path"      or the file that has it; files that it names, such as a chip, are read from its folder
 *   "set"       changes of it: ["ports[0].cable=2km"]
 *   "files"     the texts of files that the topology names: {"chip.yaml": "its text"}. Without "path" no file is
 *               opened, but those of the examples are known by their names.
 */
#define CELLWARDEN_QUESTION 16777216

/* cellwarden_plan answers with the document cellwarden.plan/v1. CELLWARDEN_OK: every port is admitted.
 * CELLWARDEN_DOES_NOT_FIT: the document has the refusals and their remedies. */
int32_t cellwarden_plan(const char *question, size_t length, char **answer);

/* cellwarden_explain answers with the document cellwarden.explain/v1: where the numbers of a port come from. The
 * question has the key "port" more, and may have "items": ["headroom"]. */
int32_t cellwarden_explain(const char *question, size_t length, char **answer);

/* cellwarden_free frees an answer. NULL is allowed. */
void cellwarden_free(char *answer);

/* An MMU: the packet-level admission of one switch. It is a number, 0 is none, and a number is not used again. */
typedef uint64_t cellwarden_mmu;
#define CELLWARDEN_MMUS 4096 /* the most MMUs at one time */

/* cellwarden_mmu_new makes the MMU of a planned chip, empty. The question is that of cellwarden_plan, and the answer
 * too; answer may be NULL. The question may have "behaviour" more: the family whose rule of admission is used, such as
 * "xgs"; by default it is the chip's own. Without "topology", "hpcc" gives the rule of HPCC's ns-3 switch, which counts
 * bytes: {"buffer_bytes": 12582912, "reserve_bytes": 4096, "resume_offset_bytes": 3072,
 *         "headroom_bytes": [one for each port], "alpha_shift": [one for each port]}.
 * With CELLWARDEN_DOES_NOT_FIT there is no MMU. */
int32_t cellwarden_mmu_new(const char *question, size_t length, cellwarden_mmu *mmu, char **answer);

/* cellwarden_mmu_free forgets an MMU. */
int32_t cellwarden_mmu_free(cellwarden_mmu mmu);

/* Ports have numbers from 0, in the order of the topology. */
int32_t cellwarden_mmu_ports(cellwarden_mmu mmu);                   /* how many there are */
int32_t cellwarden_mmu_port(cellwarden_mmu mmu, const char *name);  /* that of "Ethernet0", or CELLWARDEN_E_RANGE */
int32_t cellwarden_mmu_cell(cellwarden_mmu mmu);                    /* bytes of a cell; 1 with HPCC's rule */

/* Results are sums of these bits. */
#define CELLWARDEN_ADMITTED 1
#define CELLWARDEN_XOFF 2 /* send XOFF on the packet's ingress port, for its priority */
#define CELLWARDEN_XON 4  /* send XON there */
#define CELLWARDEN_ROOM 8 /* other groups may resume: call cellwarden_mmu_resume until it returns 0 */

/* The cause of a drop is in the bits above: 0 for an admitted packet. */
#define CELLWARDEN_CAUSE(result) ((result) >> 8)
#define CELLWARDEN_GROUP_LIMIT 1       /* the group's limit on shared cells */
#define CELLWARDEN_PORT_LIMIT 2        /* the port's limit in the ingress pool */
#define CELLWARDEN_POOL 3              /* the ingress pool is full */
#define CELLWARDEN_HEADROOM 4          /* the group's headroom is full */
#define CELLWARDEN_HEADROOM_POOL 5     /* the shared headroom pool is full */
#define CELLWARDEN_GLOBAL_HEADROOM 6   /* the global headroom is full */
#define CELLWARDEN_QUEUE_LIMIT 7       /* the egress queue's limit */
#define CELLWARDEN_EGRESS_PORT_LIMIT 8 /* the port's limit in the egress pool */
#define CELLWARDEN_EGRESS_POOL 9       /* the egress pool is full */

#define CELLWARDEN_BYTES 1048576 /* the longest packet */

/* cellwarden_mmu_arrive admits a packet or drops it, at the ingress and the egress at once. Bytes are from the
 * destination address to the FCS, 1 to CELLWARDEN_BYTES; the chip's own overhead is added. The result has
 * CELLWARDEN_ADMITTED or a cause, and CELLWARDEN_XOFF. A dropped packet may also cause XOFF. */
int32_t cellwarden_mmu_arrive(cellwarden_mmu mmu, int32_t in, int32_t out, int32_t priority, int32_t bytes);

/* cellwarden_mmu_leave gives back the cells of an admitted packet, with the values that it arrived with. The result has
 * CELLWARDEN_XON and CELLWARDEN_ROOM. */
int32_t cellwarden_mmu_leave(cellwarden_mmu mmu, int32_t in, int32_t out, int32_t priority, int32_t bytes);

/* cellwarden_mmu_resume resumes one group that may resume because others gave back cells: send XON on *port for
 * *priority. 1: there was one. 0: there is none more. */
int32_t cellwarden_mmu_resume(cellwarden_mmu mmu, int32_t *port, int32_t *priority);

/* An operation of a batch. */
typedef struct {
  int32_t leave; /* 0: the packet arrives; 1: it leaves */
  int32_t in;
  int32_t out;
  int32_t priority;
  int32_t bytes;
  int32_t result; /* set by cellwarden_mmu_batch: that of the single call, or an error */
} cellwarden_operation;

/* A signal to the neighbour of a port. */
typedef struct {
  int32_t operation; /* the index of the operation that caused it */
  int32_t port;
  int32_t priority;
  int32_t xoff; /* 1: XOFF; 0: XON */
} cellwarden_signal;

/* cellwarden_mmu_batch makes operations one after the other, as the single calls would, with all that can resume after
 * each. It returns how many it made. If that is fewer than count, the result of the next one is an error, and those
 * behind it were not looked at. The signals are written in their order, as far as there is room, and *signalled says
 * how many there were. signals and signalled may be NULL. At least 32 operations hide the cost of the call. */
int32_t cellwarden_mmu_batch(cellwarden_mmu mmu, cellwarden_operation *operations, int32_t count,
                             cellwarden_signal *signals, int32_t room, int32_t *signalled);

/* What a group holds, in cells, over all slices of the chip. Peaks are of the time since the MMU was made; where there
 * are several slices they are added up, though they can be of different times. */
typedef struct {
  int64_t reserved;
  int64_t shared;
  int64_t headroom; /* with global headroom */
  int64_t peak_shared;
  int64_t peak_headroom;
  int64_t limit;  /* on shared cells at present, in the slice where it is lowest; -1: none */
  int64_t paused; /* 1: XOFF was its last signal */
} cellwarden_group;

/* cellwarden_mmu_group reads the group of a port that packets of a priority are in. */
int32_t cellwarden_mmu_group(cellwarden_mmu mmu, int32_t port, int32_t priority, cellwarden_group *group);

/* Packets and signals since the MMU was made. */
typedef struct {
  int64_t admitted;
  int64_t left;
  int64_t dropped[10]; /* by cause; [0]: of all causes */
  int64_t xoff;
  int64_t xon;
  int64_t shared; /* shared cells in use now, of all groups */
} cellwarden_counters;

int32_t cellwarden_mmu_counters(cellwarden_mmu mmu, cellwarden_counters *counters);

#ifdef __cplusplus
}
#endif
#endif
