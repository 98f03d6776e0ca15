/* A C program that uses the library: replay QUESTION [BATCH]
 * QUESTION is a file with a question to cellwarden_mmu_new. Packets come as for the harness, and a line for each goes out
 * as there; with BATCH they go through cellwarden_mmu_batch in batches of that size. The last line has the counters. */
#include <cellwarden.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static cellwarden_mmu mmu;

static void fail(const char *what, int32_t code) {
  fprintf(stderr, "%s: %s\n", what, cellwarden_error(code));
  exit(1);
}

static char kind_of(const cellwarden_operation *o) {
  if (o->leave) return 'l';
  return o->result & CELLWARDEN_ADMITTED ? 'a' : 'd';
}

static void single(cellwarden_operation *o) {
  int32_t port, priority;
  o->result = (o->leave ? cellwarden_mmu_leave : cellwarden_mmu_arrive)(mmu, o->in, o->out, o->priority, o->bytes);
  if (o->result < 0) fail("packet", o->result);
  printf("%c", kind_of(o));
  if (o->result & CELLWARDEN_XOFF) printf(" x %d %d", o->in, o->priority);
  if (o->result & CELLWARDEN_XON) printf(" r %d %d", o->in, o->priority);
  if (o->leave && o->result & CELLWARDEN_ROOM)
    while (cellwarden_mmu_resume(mmu, &port, &priority) == 1) printf(" r %d %d", port, priority);
  printf("\n");
}

static void batch(cellwarden_operation *o, int32_t count) {
  cellwarden_signal signals[256];
  int32_t signalled, next = 0, i, done = cellwarden_mmu_batch(mmu, o, count, signals, 256, &signalled);
  if (done < 0) fail("batch", done);
  if (done < count) fail("operation", o[done].result);
  if (signalled > 256) fail("too many signals", 0);
  for (i = 0; i < count; i++) {
    printf("%c", kind_of(&o[i]));
    for (; next < signalled && signals[next].operation == i; next++)
      printf(" %c %d %d", signals[next].xoff ? 'x' : 'r', signals[next].port, signals[next].priority);
    printf("\n");
  }
}

int main(int argc, char **argv) {
  static char text[1 << 20];
  static cellwarden_operation operations[4096];
  cellwarden_counters c;
  cellwarden_operation o;
  char kind, *answer;
  int32_t code, count = 0, size = argc > 2 ? atoi(argv[2]) : 1;
  size_t length;
  FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
  if (file == NULL || size < 1 || size > 4096) return 2;
  length = fread(text, 1, sizeof text, file);
  fclose(file);
  if (cellwarden_abi() != CELLWARDEN_ABI) return 2;
  code = cellwarden_mmu_new(text, length, &mmu, &answer);
  if (code != CELLWARDEN_OK) fail(answer ? answer : "new", code);
  cellwarden_free(answer);
  while (scanf(" %c %d %d %d %d", &kind, &o.in, &o.out, &o.priority, &o.bytes) == 5) {
    o.leave = kind == 'l';
    if (size == 1) {
      single(&o);
      continue;
    }
    operations[count++] = o;
    if (count == size) batch(operations, count), count = 0;
  }
  if (count > 0) batch(operations, count);
  code = cellwarden_mmu_counters(mmu, &c);
  if (code != CELLWARDEN_OK) fail("counters", code);
  printf("admitted %" PRId64 " left %" PRId64 " dropped %" PRId64 " xoff %" PRId64 " xon %" PRId64 "\n", c.admitted,
         c.left, c.dropped[0], c.xoff, c.xon);
  return cellwarden_mmu_free(mmu) == CELLWARDEN_OK ? 0 : 1;
}
