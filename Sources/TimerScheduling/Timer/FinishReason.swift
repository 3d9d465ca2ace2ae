/// Why a timer has finished.
package enum FinishReason: Sendable, Hashable {
  /// Its last tick was taken.
  case completed
  /// It was cancelled, or its stream was dropped.
  case cancelled
  /// Another timer took its name.
  case replaced
}
