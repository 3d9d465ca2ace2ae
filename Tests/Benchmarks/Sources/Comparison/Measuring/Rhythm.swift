/// When a repeating timer is to tick.
struct Rhythm: Sendable {
  /// When it is first.
  var start: Uptime
  var interval: Delay
  /// How late it may be.
  var tolerance: Duration = .zero

  var delay: Delay { max(start - .now, Delay(nanoseconds: 0)) }
}
