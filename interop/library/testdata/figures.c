/* figures QUESTION BATCH PACKETS: the processor time of a packet that arrives and leaves, in nanoseconds. BATCH 0: two
 * calls; otherwise batches of that many operations. */
#include <cellwarden.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  static char text[1 << 20];
  static cellwarden_operation o[4096];
  cellwarden_mmu mmu;
  int32_t ports, batch, i, sum = 0;
  long packets, n;
  double start;
  FILE *file = argc == 4 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) return 2;
  batch = atoi(argv[2]), packets = atol(argv[3]);
  if (batch < 0 || batch > 4096 || cellwarden_mmu_new(text, fread(text, 1, sizeof text, file), &mmu, NULL) != CELLWARDEN_OK) return 1;
  fclose(file);
  ports = cellwarden_mmu_ports(mmu);
  for (i = 0; i < batch; i++) {
    o[i].leave = i & 1;
    o[i].in = i / 2 % ports;
    o[i].out = (o[i].in + 1) % ports;
    o[i].priority = i / 2 & 7;
    o[i].bytes = 1000;
  }
  start = now();
  if (batch == 0) {
    for (n = 0; n < packets; n++) {
      int32_t in = (int32_t)(n % ports), out = (in + 1) % ports, priority = (int32_t)(n & 7);
      sum += cellwarden_mmu_arrive(mmu, in, out, priority, 1000);
      sum += cellwarden_mmu_leave(mmu, in, out, priority, 1000);
    }
  } else {
    for (n = 0; n < packets; n += batch / 2) sum += cellwarden_mmu_batch(mmu, o, batch, NULL, 0, NULL);
  }
  printf("%.1f\n", (now() - start) / (double)packets);
  return sum > 0 ? 0 : 1;
}
