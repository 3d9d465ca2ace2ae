#pragma once
#include <stdbool.h>

/// Has the wall clock of this process be wrong by so many seconds, for tests. Monotonic clocks stay as they are.
/// Returns false where that isn't possible: on another platform than Linux.
bool wrong_clock_set(long seconds);
