#pragma once
#include <stdbool.h>

/// Has the wall clock of this process be ahead by the microseconds that a file has as a 64-bit integer, now and after
/// each change of the file, or by none if there is no path. Clocks that are never set stay right.
///
/// Returns false if the file can't be read, or if the system isn't Linux, and a path is given.
bool wrong_clock_follow(const char *path);
