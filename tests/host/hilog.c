/* A libhilog_ndk.z.so for the musl Node: what the module logs on a phone goes to stderr, in the form of the host build.
 * The message is used as a printf format, as the real one does: a '%' that the module did not escape shows here. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEBUG = 3, INFO, WARN, ERROR, FATAL };

static int least_level(void) {
  const char *level = getenv("RESILIENCE_LOG");
  if (level && !strcmp(level, "debug")) return DEBUG;
  return level && !strcmp(level, "info") ? INFO : WARN;
}

int OH_LOG_Print(int type, int level, unsigned domain, const char *tag, const char *format, ...) {
  static const char *const names[] = {"debug", "info", "warn", "error", "fatal"};
  (void)type, (void)domain;
  if (level < least_level() || level > FATAL) return 0;
  char line[5000];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  fprintf(stderr, "[%s] %s %s\n", tag, names[level - DEBUG], line);
  return length;
}
