/* The functions of cellwarden.h: what can be refused without Go is refused here, and the rest is in exports.go. */
#include "cellwarden.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "_cgo_export.h"

/* The Go runtime does not survive fork(): its threads are not in the child, and a call waits for them for ever. The
 * handler of pthread_atfork sees every fork() of the C library; the process number shows the others, where a system call
 * more does not matter. */
static volatile int forked;
static pid_t loaded_by;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void loaded(void) {
  loaded_by = getpid();
  pthread_atfork(NULL, NULL, in_child);
}

/* Whether a question can be asked. There is no answer so far. */
static int32_t asked(const char *question, size_t length, const void *to, char **answer) {
  if (answer != NULL) *answer = NULL;
  if (forked || getpid() != loaded_by) return CELLWARDEN_E_FORKED;
  if (question == NULL || to == NULL || length > CELLWARDEN_QUESTION) return CELLWARDEN_E_ARGUMENT;
  return CELLWARDEN_OK;
}

int32_t cellwarden_abi(void) { return CELLWARDEN_ABI; }

const char *cellwarden_error(int32_t code) {
  switch (code) {
    case CELLWARDEN_OK: return "no error";
    case CELLWARDEN_DOES_NOT_FIT: return "the plan does not fit the chip";
    case CELLWARDEN_E_ARGUMENT: return "a null pointer, or a length that cannot be";
    case CELLWARDEN_E_QUESTION: return "the question is refused";
    case CELLWARDEN_E_HANDLE: return "no MMU has this handle, or it was freed";
    case CELLWARDEN_E_BUSY: return "another thread is using this MMU";
    case CELLWARDEN_E_RANGE: return "no such port or priority, or bytes out of range";
    case CELLWARDEN_E_NOT_HELD: return "the group or the queue holds fewer cells than this packet would give back";
    case CELLWARDEN_E_FORKED: return "the process was forked without exec after the library was loaded";
    case CELLWARDEN_E_FAULT: return "a fault in cellwarden: please report it";
    case CELLWARDEN_E_MEMORY: return "no memory for the answer";
    case CELLWARDEN_E_TOO_MANY: return "too many MMUs: free some";
  }
  return code > 0 ? "no error" : "a code that this version does not have";
}

int32_t cellwarden_plan(const char *question, size_t length, char **answer) {
  int32_t code = asked(question, length, answer, answer);
  return code ? code : cellwardenGoPlan((char *)question, length, answer);
}

int32_t cellwarden_explain(const char *question, size_t length, char **answer) {
  int32_t code = asked(question, length, answer, answer);
  return code ? code : cellwardenGoExplain((char *)question, length, answer);
}

void cellwarden_free(char *answer) { free(answer); }

int32_t cellwarden_mmu_new(const char *question, size_t length, cellwarden_mmu *mmu, char **answer) {
  int32_t code = asked(question, length, mmu, answer);
  if (mmu != NULL) *mmu = 0;
  return code ? code : cellwardenGoNew((char *)question, length, mmu, answer);
}

/* A call of an MMU, if the process was not forked and no argument is wrong. */
#define CALL(wrong, call) (forked ? CELLWARDEN_E_FORKED : (wrong) ? CELLWARDEN_E_ARGUMENT : (call))

int32_t cellwarden_mmu_free(cellwarden_mmu mmu) { return CALL(0, cellwardenGoFree(mmu)); }

int32_t cellwarden_mmu_ports(cellwarden_mmu mmu) { return CALL(0, cellwardenGoPorts(mmu)); }

int32_t cellwarden_mmu_port(cellwarden_mmu mmu, const char *name) {
  return CALL(name == NULL, cellwardenGoPort(mmu, (char *)name));
}

int32_t cellwarden_mmu_cell(cellwarden_mmu mmu) { return CALL(0, cellwardenGoCell(mmu)); }

int32_t cellwarden_mmu_arrive(cellwarden_mmu mmu, int32_t in, int32_t out, int32_t priority, int32_t bytes) {
  return CALL(0, cellwardenGoArrive(mmu, in, out, priority, bytes));
}

int32_t cellwarden_mmu_leave(cellwarden_mmu mmu, int32_t in, int32_t out, int32_t priority, int32_t bytes) {
  return CALL(0, cellwardenGoLeave(mmu, in, out, priority, bytes));
}

int32_t cellwarden_mmu_resume(cellwarden_mmu mmu, int32_t *port, int32_t *priority) {
  return CALL(port == NULL || priority == NULL, cellwardenGoResume(mmu, port, priority));
}

int32_t cellwarden_mmu_batch(cellwarden_mmu mmu, cellwarden_operation *operations, int32_t count,
                             cellwarden_signal *signals, int32_t room, int32_t *signalled) {
  return CALL(count < 0 || room < 0 || (operations == NULL && count > 0) || (signals == NULL && room > 0),
              cellwardenGoBatch(mmu, operations, count, signals, room, signalled));
}

int32_t cellwarden_mmu_group(cellwarden_mmu mmu, int32_t port, int32_t priority, cellwarden_group *group) {
  return CALL(group == NULL, cellwardenGoGroup(mmu, port, priority, group));
}

int32_t cellwarden_mmu_counters(cellwarden_mmu mmu, cellwarden_counters *counters) {
  return CALL(counters == NULL, cellwardenGoCounters(mmu, counters));
}
