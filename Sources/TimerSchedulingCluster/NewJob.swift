public import TimerScheduling
import TimerSchedulingFoundation

/// A job to put into the store, for ``TimerCluster/put(_:)``.
///
/// ```swift
/// let jobs = try ["ann@example.org", "bob@example.org"].map { address in
///   try NewJob(handler: "mail", payload: ["to": address])
/// }
/// try await cluster.put(jobs)
/// ```
public struct NewJob: Sendable, Hashable {
  enum Dates: Sendable, Hashable {
    case schedule(TimerSchedule)
    case after(Duration)
  }

  /// The name of the job.
  public let name: String
  /// The name of the handler that runs it.
  public let handler: String
  /// The time from a date on in which it may be begun. Nil for any.
  public let within: Duration?
  /// The key of the job, such as its tenant, for `limitPerKey` of its handler.
  public let key: String?
  /// The number of attempts of a date, in place of those of the handler.
  public let attempts: Int?
  /// A text for the handler.
  public let payload: String
  let dates: Dates

  /// Creates a job with a schedule, as `put` with the same parameters puts it. A nil name is a new one.
  ///
  /// - Precondition: `within` is greater than zero, and `attempts` is one or more.
  public init(
    name: String? = nil, handler: String, schedule: TimerSchedule, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: String = ""
  ) {
    self.init(name, handler, .schedule(schedule), within, key, attempts, payload)
  }

  /// Creates a job that is run once, as `put` with the same parameters puts it. A nil name is a new one.
  ///
  /// - Precondition: `within` is greater than zero, and `attempts` is one or more.
  public init(
    name: String? = nil, handler: String, after delay: Duration = .zero, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: String = ""
  ) {
    self.init(name, handler, .after(delay), within, key, attempts, payload)
  }

  /// Creates a job with a schedule, whose payload is a value as JSON, or a text. A nil name is a new one.
  ///
  /// - Throws: The error of encoding the value.
  /// - Precondition: `within` is greater than zero, and `attempts` is one or more.
  public init(
    name: String? = nil, handler: String, schedule: TimerSchedule, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: some Encodable & Sendable
  ) throws {
    self.init(name, handler, .schedule(schedule), within, key, attempts, try Self.text(of: payload))
  }

  /// Creates a job that is run once, whose payload is a value as JSON, or a text. A nil name is a new one.
  ///
  /// - Throws: The error of encoding the value.
  /// - Precondition: `within` is greater than zero, and `attempts` is one or more.
  public init(
    name: String? = nil, handler: String, after delay: Duration = .zero, within: Duration? = nil,
    key: String? = nil, attempts: Int? = nil, payload: some Encodable & Sendable
  ) throws {
    self.init(name, handler, .after(delay), within, key, attempts, try Self.text(of: payload))
  }

  private init(
    _ name: String?, _ handler: String, _ dates: Dates, _ within: Duration?, _ key: String?, _ attempts: Int?,
    _ payload: String
  ) {
    precondition(
      within ?? .seconds(1) > .zero,
      "The time in which a date may be begun must be greater than zero, but \(within ?? .zero) was given.")
    precondition(
      attempts ?? 1 > 0, "A date has one attempt or more, but \(attempts ?? 0) was given.")
    (self.name, self.handler, self.payload, self.dates) = (name ?? Self.newName(), handler, payload, dates)
    (self.within, self.key, self.attempts) = (within, key, attempts)
  }

  /// Returns a payload as text: equal values by the same text. A text is its own.
  private static func text(of payload: some Encodable) throws -> String {
    if let text = payload as? String { return text }
    return try payload.json([.sortedKeys, .withoutEscapingSlashes])
  }

  /// Guards the milliseconds since 1970 of the last new name, and in twelve more bits its number within that
  /// millisecond. More names than that go on with the next one.
  private static let last = Lock<UInt64>(0)

  /// Returns a UUID of version 7, as RFC 9562 describes them.
  ///
  /// Jobs that are due at one moment begin in the order of their names, so the names of a process ascend.
  private static func newName() -> String {
    let milliseconds = UInt64(max(Date().timeIntervalSince1970, 0) * 1_000)
    let count = last.withLock { last in
      last = max(milliseconds << 12, last + 1)
      return last
    }
    // The first digit is the version's. The rest of a random UUID begins with the variant.
    let number = String(0x7000 | count & 0xFFF, radix: 16)
    let time = String(1 << 48 | count >> 12, radix: 16).dropFirst()
    return "\(time.prefix(8))-\(time.dropFirst(8))-\(number)\(UUID().uuidString.lowercased().dropFirst(18))"
  }
}
