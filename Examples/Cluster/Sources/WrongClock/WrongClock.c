#include "WrongClock.h"

#ifdef __linux__
// An executable's functions come before those of the libraries that it links, so Foundation, Dispatch and libpq ask
// these for the time, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

typedef int (*clock_function)(clockid_t, struct timespec *);

static _Atomic long offset;
static _Atomic(clock_function) system_clock;

bool wrong_clock_set(long seconds) {
  atomic_store(&offset, seconds);
  return true;
}

int clock_gettime(clockid_t clock, struct timespec *moment) {
  clock_function function = atomic_load_explicit(&system_clock, memory_order_relaxed);
  if (function == NULL) {
    function = (clock_function)dlsym(RTLD_NEXT, "clock_gettime");
    atomic_store_explicit(&system_clock, function, memory_order_relaxed);
  }
  int result = function(clock, moment);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    moment->tv_sec += atomic_load_explicit(&offset, memory_order_relaxed);
  }
  return result;
}

int gettimeofday(struct timeval *restrict moment, void *restrict zone) {
  struct timespec precise;
  int result = clock_gettime(CLOCK_REALTIME, &precise);
  moment->tv_sec = precise.tv_sec;
  moment->tv_usec = precise.tv_nsec / 1000;
  return result;
}

time_t time(time_t *seconds) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (seconds != NULL) *seconds = precise.tv_sec;
  return precise.tv_sec;
}
#else
bool wrong_clock_set(long seconds) { return seconds == 0; }
#endif
