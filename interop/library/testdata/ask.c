#include <cellwarden.h>
#include <stdio.h>
#include <string.h>

/* ask plan|explain: the question is on standard input, and the answer goes to standard output. */
int main(int argc, char **argv) {
  static char question[1 << 20];
  size_t length = fread(question, 1, sizeof question, stdin);
  char *answer;
  int32_t code;
  if (argc == 2 && strcmp(argv[1], "explain") == 0) {
    code = cellwarden_explain(question, length, &answer);
  } else {
    code = cellwarden_plan(question, length, &answer);
  }
  if (code < 0) {
    fprintf(stderr, "%s\n%s\n", cellwarden_error(code), answer ? answer : "");
  } else {
    puts(answer);
  }
  cellwarden_free(answer);
  return code < 0 ? 2 : code == CELLWARDEN_DOES_NOT_FIT ? 3 : 0;
}
