import Testing

extension Tag {
  /// Runs on the machine's own clock: asserts order and lower bounds only.
  @Tag static var realClock: Self
  /// Threads race here. `.ci/run` runs each file with this tag under the thread sanitizer.
  @Tag static var threads: Self
}
