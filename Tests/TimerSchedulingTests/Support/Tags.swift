import Testing

extension Tag {
  /// Runs on the machine's own clock: asserts order and lower bounds only.
  @Tag static var realClock: Self
  /// Many threads at once, for the thread sanitizer to watch.
  @Tag static var stress: Self
}
