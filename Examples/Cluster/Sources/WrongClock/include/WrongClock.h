#pragma once
#include <stdbool.h>

/// Has the wall clock of this process be ahead by the microseconds that a file has as a 64-bit integer, now and after
/// each change of the file, or by none if there is no path. Clocks that are never set stay right.
///
/// Returns false if the file can't be read, or if the system isn't Linux, and a path is given.
bool wrong_clock_follow(const char *path);

/// Wakes those who wait for a change of the wall clock, as the system does when it is set. Call it after a change of the
/// file.
void wrong_clock_was_set(void);
