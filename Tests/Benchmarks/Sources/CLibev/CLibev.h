#include <ev.h>

// A macro in libev, which Swift doesn't import.
static inline void initialize_ev_timer(
  ev_timer *timer, void (*callback)(struct ev_loop *, ev_timer *, int), double after, double repeat
) {
  ev_timer_init(timer, callback, after, repeat);
}
