#if os(Linux)
import Glibc

/// Has Swift Testing run four tests at a time, unless the environment says otherwise.
///
/// By default it starts all tests at once. In debug they then wait for locks of Swift's runtime, which looks
/// up each generic type in tables that all threads share: all tests together took 300 seconds of processor
/// time and more, and four at a time take 115. The linker collects the functions of this section, and the
/// loader calls them before `main` reads the environment.
@section(".init_array") @used
private let limitParallelTests: @convention(c) () -> Void = {
  unsafe setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "4", 0)
}
#endif
