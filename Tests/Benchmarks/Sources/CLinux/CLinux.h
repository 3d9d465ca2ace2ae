// Headers that Swift's Glibc module leaves out.

#include <malloc.h>
#include <sys/timerfd.h>

/// Has a timerfd expire at a time of its clock.
static inline void arm_timerfd(int file, long long nanoseconds) {
  struct itimerspec time = {
    .it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000},
  };
  timerfd_settime(file, TFD_TIMER_ABSTIME, &time, 0);
}
