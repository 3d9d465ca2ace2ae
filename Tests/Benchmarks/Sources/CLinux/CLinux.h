// What Swift's Glibc module leaves out.

#include <malloc.h>
#include <sys/timerfd.h>
