/// An earlier job of the same name, which keeps a job from being put.
///
/// ```swift
/// // Once an hour, however often it is asked for.
/// let name = try await cluster.put(
///   name: "sync 7", handler: "sync", payload: "7", unless: .begun(within: .seconds(3600)))
/// logger.info(name == nil ? "synced already" : "a sync follows")
/// ```
public enum EarlierJob: Sendable, Hashable {
  /// It waits, is retried, or is under way. One that has failed for good is put again.
  case known
  /// It is known, or a run of it has begun within a time, as far as the history reaches.
  case begun(within: Duration)

  var microseconds: Int64 {
    switch self {
    case .known: 0
    case .begun(let time): time.wholeMicroseconds
    }
  }
}
