/// When a repeating timer is to tick.
struct Rhythm: Sendable {
  /// When it is first.
  var start: Uptime
  var interval: Delay
  /// The lateness that a tick may have.
  var tolerance: Duration = .zero

  var delay: Delay { max(start - .now, Delay(nanoseconds: 0)) }
}
