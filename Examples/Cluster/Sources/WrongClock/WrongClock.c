#include "WrongClock.h"

#ifdef __linux__
// An executable's functions come before those of the libraries that it links, so Foundation, Dispatch and libpq ask
// these for the time, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int (*clock_function)(clockid_t, struct timespec *);

typedef _Atomic(int64_t) shared_offset;

static _Atomic(shared_offset *) offset;
static _Atomic(clock_function) system_clock;

bool wrong_clock_follow(const char *path) {
  shared_offset *found = NULL;
  if (path != NULL) {
    int file = open(path, O_RDONLY);
    if (file < 0) return false;
    void *bytes = mmap(NULL, sizeof(shared_offset), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (bytes == MAP_FAILED) return false;
    found = bytes;
  }
  atomic_store(&offset, found);
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
    shared_offset *ahead = atomic_load_explicit(&offset, memory_order_acquire);
    int64_t microseconds = ahead == NULL ? 0 : atomic_load_explicit(ahead, memory_order_relaxed);
    microseconds += moment->tv_nsec / 1000;
    // Both round down, as the clock may be set back.
    int64_t seconds = microseconds / 1000000 - (microseconds % 1000000 < 0);
    moment->tv_sec += seconds;
    moment->tv_nsec = (microseconds - seconds * 1000000) * 1000 + moment->tv_nsec % 1000;
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
bool wrong_clock_follow(const char *path) { return path == 0; }
#endif
