/* Everything that a host can do wrong, and threads: stress QUESTION [fork]
 * It ends with 0 if each call returned what cellwarden.h says. Built with ASan or TSan it also shows that the library
 * writes nothing beside what it was given. */
#include <cellwarden.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPECT(is, want)                                                                                  \
  do {                                                                                                    \
    long long is_ = (is), want_ = (want);                                                                 \
    if (is_ != want_) {                                                                                   \
      fprintf(stderr, "%s:%d: %s is %lld (want %lld)\n", __FILE__, __LINE__, #is, is_, want_);            \
      exit(1);                                                                                            \
    }                                                                                                     \
  } while (0)

enum { THREADS = 8, ROUNDS = 40, PACKETS = 500 };

static char text[1 << 20];
static size_t length;
static cellwarden_mmu shared; /* that all threads use at once */

static void misuse(cellwarden_mmu m) {
  static const int32_t odd[] = {-1, INT_MIN, INT_MAX, 1 << 20};
  cellwarden_group group;
  cellwarden_counters counters;
  cellwarden_operation o = {0, 0, 1, 3, 1000, 0};
  cellwarden_signal guard[2];
  int32_t port, priority, n;
  size_t i;
  for (i = 0; i < sizeof odd / sizeof *odd; i++) {
    EXPECT(cellwarden_mmu_arrive(m, odd[i], 0, 3, 1000), CELLWARDEN_E_RANGE);
    EXPECT(cellwarden_mmu_arrive(m, 0, odd[i], 3, 1000), CELLWARDEN_E_RANGE);
    EXPECT(cellwarden_mmu_arrive(m, 0, 1, odd[i], 1000), CELLWARDEN_E_RANGE);
    EXPECT(cellwarden_mmu_leave(m, 0, odd[i], 3, 1000), CELLWARDEN_E_RANGE);
    EXPECT(cellwarden_mmu_group(m, 0, odd[i], &group), CELLWARDEN_E_RANGE);
  }
  EXPECT(cellwarden_mmu_arrive(m, 0, 1, 3, 0), CELLWARDEN_E_RANGE);
  EXPECT(cellwarden_mmu_arrive(m, 0, 1, 3, CELLWARDEN_BYTES + 1), CELLWARDEN_E_RANGE);
  EXPECT(cellwarden_mmu_leave(m, 0, 1, 3, 1000), CELLWARDEN_E_NOT_HELD);
  EXPECT(cellwarden_mmu_arrive(m, 0, 1, 3, 1000), CELLWARDEN_ADMITTED);
  EXPECT(cellwarden_mmu_leave(m, 0, 2, 3, 1000), CELLWARDEN_E_NOT_HELD); /* of another queue */
  EXPECT(cellwarden_mmu_leave(m, 1, 1, 3, 1000), CELLWARDEN_E_NOT_HELD); /* of another group */
  EXPECT(cellwarden_mmu_leave(m, 0, 1, 3, 1000), 0);
  EXPECT(cellwarden_mmu_resume(m, NULL, &priority), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_resume(m, &port, &priority), 0);
  EXPECT(cellwarden_mmu_group(m, 0, 3, NULL), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_counters(m, NULL), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_port(m, NULL), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_port(m, "no such port"), CELLWARDEN_E_RANGE);
  EXPECT(cellwarden_mmu_batch(m, NULL, 1, NULL, 0, NULL), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_batch(m, &o, -1, NULL, 0, NULL), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_batch(m, &o, 1, NULL, 1, NULL), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_batch(m, NULL, 0, NULL, 0, &n), 0);
  memset(guard, 0x5a, sizeof guard);
  EXPECT(cellwarden_mmu_batch(m, &o, 1, guard, 1, &n), 1);
  EXPECT(guard[1].port, 0x5a5a5a5a);
  o.leave = 1;
  EXPECT(cellwarden_mmu_batch(m, &o, 1, NULL, 0, NULL), 1);
  EXPECT(cellwarden_mmu_batch(m, &o, 1, NULL, 0, NULL), 0); /* it has left already */
  EXPECT(o.result, CELLWARDEN_E_NOT_HELD);
  EXPECT(cellwarden_mmu_counters(m, &counters), CELLWARDEN_OK);
  EXPECT(counters.admitted, counters.left);
}

static void refused(const char *question, int32_t code, const char *says) {
  char *answer = (char *)1;
  EXPECT(cellwarden_plan(question, strlen(question), &answer), code);
  EXPECT(answer != NULL && strstr(answer, says) != NULL, 1);
  cellwarden_free(answer);
}

static void questions(void) {
  char *answer = (char *)1;
  cellwarden_mmu m = 1;
  EXPECT(cellwarden_plan(NULL, 1, &answer), CELLWARDEN_E_ARGUMENT);
  EXPECT(answer == NULL, 1);
  EXPECT(cellwarden_plan("{}", 2, NULL), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_plan("{}", (size_t)-1, &answer), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_new("{}", 2, NULL, &answer), CELLWARDEN_E_ARGUMENT);
  EXPECT(cellwarden_mmu_new("{}", 2, &m, &answer), CELLWARDEN_E_QUESTION);
  EXPECT(m == 0, 1);
  cellwarden_free(answer);
  EXPECT(cellwarden_mmu_new("{}", 2, &m, NULL), CELLWARDEN_E_QUESTION);
  refused("", CELLWARDEN_E_QUESTION, "question");
  refused("\xff\xfe", CELLWARDEN_E_QUESTION, "question");
  refused("{\"topology\":\"chip: x\"}", CELLWARDEN_E_QUESTION, "chip");
  cellwarden_free(NULL);
}

static void *work(void *argument) {
  unsigned seed = *(unsigned *)argument;
  int round, i;
  for (round = 0; round < ROUNDS; round++) {
    cellwarden_mmu m;
    cellwarden_operation o[PACKETS];
    cellwarden_counters c;
    char *answer;
    int32_t done, code;
    EXPECT(cellwarden_mmu_new(text, length, &m, round % 2 ? &answer : NULL), CELLWARDEN_OK);
    if (round % 2) cellwarden_free(answer);
    misuse(m);
    for (i = 0; i < PACKETS; i++) {
      o[i].leave = 0;
      o[i].in = rand_r(&seed) % cellwarden_mmu_ports(m);
      o[i].out = 0;
      o[i].priority = rand_r(&seed) % 8;
      o[i].bytes = 64 + rand_r(&seed) % 9000;
    }
    done = cellwarden_mmu_batch(m, o, PACKETS, NULL, 0, NULL);
    EXPECT(done, PACKETS);
    for (i = 0; i < PACKETS; i++)
      if (o[i].result & CELLWARDEN_ADMITTED)
        EXPECT(cellwarden_mmu_leave(m, o[i].in, o[i].out, o[i].priority, o[i].bytes) >= 0, 1);
    EXPECT(cellwarden_mmu_counters(m, &c), CELLWARDEN_OK);
    EXPECT(c.admitted, c.left);
    EXPECT(c.shared, 0);
    EXPECT(cellwarden_mmu_free(m), CELLWARDEN_OK);
    EXPECT(cellwarden_mmu_free(m), CELLWARDEN_E_HANDLE);
    EXPECT(cellwarden_mmu_arrive(m, 0, 1, 3, 1000), CELLWARDEN_E_HANDLE);
    for (i = 0; i < PACKETS; i++) {
      code = cellwarden_mmu_arrive(shared, 0, 1, 3, 64);
      if (code < 0) EXPECT(code, CELLWARDEN_E_BUSY);
    }
  }
  return NULL;
}

static void forked(void) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    char *answer;
    cellwarden_mmu m;
    int32_t port, priority;
    alarm(20); /* a call that waits for ever ends the child */
    EXPECT(cellwarden_plan(text, length, &answer), CELLWARDEN_E_FORKED);
    EXPECT(cellwarden_mmu_new(text, length, &m, &answer), CELLWARDEN_E_FORKED);
    EXPECT(cellwarden_mmu_arrive(shared, 0, 1, 3, 64), CELLWARDEN_E_FORKED);
    EXPECT(cellwarden_mmu_leave(shared, 0, 1, 3, 64), CELLWARDEN_E_FORKED);
    EXPECT(cellwarden_mmu_resume(shared, &port, &priority), CELLWARDEN_E_FORKED);
    EXPECT(cellwarden_mmu_batch(shared, NULL, 0, NULL, 0, NULL), CELLWARDEN_E_FORKED);
    EXPECT(cellwarden_mmu_free(shared), CELLWARDEN_E_FORKED);
    _exit(0);
  }
  EXPECT(waitpid(child, &status, 0), child);
  EXPECT(status, 0);
}

int main(int argc, char **argv) {
  static unsigned seeds[THREADS];
  static cellwarden_mmu many[CELLWARDEN_MMUS];
  pthread_t threads[THREADS];
  cellwarden_mmu more;
  int i;
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) return 2;
  length = fread(text, 1, sizeof text, file);
  fclose(file);
  questions();
  EXPECT(cellwarden_mmu_arrive(0, 0, 1, 3, 64), CELLWARDEN_E_HANDLE);
  EXPECT(cellwarden_mmu_arrive(~(cellwarden_mmu)0, 0, 1, 3, 64), CELLWARDEN_E_HANDLE);
  EXPECT(cellwarden_mmu_new(text, length, &shared, NULL), CELLWARDEN_OK);
  if (argc > 2) forked();
  for (i = 0; i < THREADS; i++) {
    seeds[i] = (unsigned)i;
    EXPECT(pthread_create(&threads[i], NULL, work, &seeds[i]), 0);
  }
  for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  EXPECT(cellwarden_mmu_free(shared), CELLWARDEN_OK);

  { /* as many MMUs as there can be, of the cheapest kind */
    const char *q = "{\"hpcc\":{\"buffer_bytes\":9,\"reserve_bytes\":0,\"resume_offset_bytes\":0,\"headroom_bytes\":[0],"
                    "\"alpha_shift\":[0]}}";
    for (i = 0; i < CELLWARDEN_MMUS; i++) EXPECT(cellwarden_mmu_new(q, strlen(q), &many[i], NULL), CELLWARDEN_OK);
    EXPECT(cellwarden_mmu_new(q, strlen(q), &more, NULL), CELLWARDEN_E_TOO_MANY);
    EXPECT(more == 0, 1);
    EXPECT(cellwarden_mmu_free(many[7]), CELLWARDEN_OK);
    EXPECT(cellwarden_mmu_new(q, strlen(q), &more, NULL), CELLWARDEN_OK);
    EXPECT(more != many[7], 1);
    EXPECT(cellwarden_mmu_free(many[7]), CELLWARDEN_E_HANDLE);
    many[7] = more;
    for (i = 0; i < CELLWARDEN_MMUS; i++) EXPECT(cellwarden_mmu_free(many[i]), CELLWARDEN_OK);
  }
  puts("ok");
  return 0;
}
