#include "WrongClock.h"

#ifdef __linux__
// An executable's functions come before those of the libraries that it links, so Foundation, Dispatch and libpq ask
// these for the time, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef int (*clock_function)(clockid_t, struct timespec *);

typedef _Atomic(int64_t) shared_offset;

static _Atomic(shared_offset *) offset;
static _Atomic(clock_function) system_clock;

enum { DESCRIPTORS = 1024 };

// The system's timers on the wall clock, those that are told when it is set, and those that were told since they were
// set themselves.
static _Atomic(bool) is_on_wall[DESCRIPTORS], is_told[DESCRIPTORS], was_told[DESCRIPTORS];

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

static void move(struct timespec *moment, int64_t microseconds) {
  microseconds += moment->tv_nsec / 1000;
  // Both round down, as the clock may be set back.
  int64_t seconds = microseconds / 1000000 - (microseconds % 1000000 < 0);
  moment->tv_sec += seconds;
  moment->tv_nsec = (microseconds - seconds * 1000000) * 1000 + moment->tv_nsec % 1000;
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
    move(moment, ahead == NULL ? 0 : atomic_load_explicit(ahead, memory_order_relaxed));
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

int timerfd_create(int clock, int flags) {
  int (*create)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "timerfd_create");
  int descriptor = create(clock, flags);
  if (descriptor >= 0 && descriptor < DESCRIPTORS) {
    atomic_store(&is_on_wall[descriptor], clock == CLOCK_REALTIME);
    atomic_store(&is_told[descriptor], false);
    atomic_store(&was_told[descriptor], false);
  }
  return descriptor;
}

typedef int (*set_function)(int, int, const struct itimerspec *, struct itimerspec *);

static set_function system_set(void) { return (set_function)dlsym(RTLD_NEXT, "timerfd_settime"); }

static const struct itimerspec at_once = {.it_value = {.tv_nsec = 1}};

int timerfd_settime(int descriptor, int flags, const struct itimerspec *times, struct itimerspec *old) {
  struct itimerspec right = *times;
  bool is_armed = times->it_value.tv_sec != 0 || times->it_value.tv_nsec != 0, is_late = false;
  if (descriptor >= 0 && descriptor < DESCRIPTORS && atomic_load(&is_on_wall[descriptor])) {
    is_late = is_armed && atomic_exchange(&was_told[descriptor], false);
    atomic_store(&is_told[descriptor], flags & TFD_TIMER_CANCEL_ON_SET);
    shared_offset *ahead = atomic_load(&offset);
    if (is_armed && (flags & TFD_TIMER_ABSTIME) && ahead != NULL) {
      move(&right.it_value, -atomic_load(ahead));
      if (right.it_value.tv_sec < 0) right.it_value = at_once.it_value;
    }
  }
  int result = system_set()(descriptor, flags, &right, old);
  if (result != 0 || !is_late) return result;
  // As the system's, which sets the timer and takes the notice of the clock's change back.
  errno = ECANCELED;
  return -1;
}

void wrong_clock_was_set(void) {
  for (int descriptor = 0; descriptor < DESCRIPTORS; descriptor++) {
    if (!atomic_load(&is_told[descriptor])) continue;
    atomic_store(&was_told[descriptor], true);
    system_set()(descriptor, TFD_TIMER_ABSTIME, &at_once, NULL);
  }
}
#else
void wrong_clock_was_set(void) {}
bool wrong_clock_follow(const char *path) { return path == 0; }
#endif
