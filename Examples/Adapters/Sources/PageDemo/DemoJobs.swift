import TimerScheduling
import TimerSchedulingCluster

/// The jobs of the demo: some that wait, some that have failed for good, and some that could do harm.
struct DemoJobs {
  private struct DiskFull: Error {}

  private struct NoSuchAddress: Error, CustomStringConvertible {
    let address: String
    var description: String { "no such address: \(address)" }
  }

  /// The number of jobs that wait for a date in an hour or a day.
  let waitingCount: Int
  /// The number of jobs that fail for good at once.
  let deadCount: Int
  /// The number of runs that are under way for as long as the demo is.
  let runningCount: Int
  /// Texts, each of which a job has as its name, in its payload, in its handler's name and in its error.
  let harmfulTexts: [String]

  /// The texts as names, which have no control characters.
  private var harmfulNames: [String] {
    harmfulTexts.map { text in
      String(
        String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
  }

  /// Puts the jobs, and has those run whose handlers the demo has.
  func put(in cluster: TimerCluster, of scheduler: TimerScheduler) async throws {
    let retry = FailedRunBehavior.retry(attempts: 2, backoff: .constant(.seconds(3_600)))
    cluster.handle("mail", ifFailed: retry) { run in if run.payload == "full" { throw DiskFull() } }
    cluster.handle("invoice", ifFailed: .leave) { run in throw NoSuchAddress(address: run.payload) }
    cluster.handle("import") { _ in try await scheduler.sleep(for: .seconds(86_400)) }
    for (number, name) in harmfulNames.enumerated() {
      cluster.handle("\(number) \(name)", ifFailed: .leave) { run in throw NoSuchAddress(address: run.payload)
      }
    }
    try await putWaiting(in: cluster)
    let dead = (0..<deadCount).map { number in
      NewJob(name: "invoice \(1 + number)", handler: "invoice", payload: "tenant-\(number)@example.invalid")
    }
    let running = (0..<runningCount).map { NewJob(name: "import \($0)", handler: "import") }
    let harmful = zip(harmfulNames, harmfulTexts).enumerated().map { number, pair in
      NewJob(
        name: "harmful \(number) \(pair.0)", handler: "\(number) \(pair.0)",
        payload: "{\"text\": \"\(pair.1)\"}\n\(pair.1)")
    }
    try await cluster.put(dead + running + harmful)
    try await cluster.put(name: "mail that fails", handler: "mail", payload: "full")
  }

  /// Puts jobs of an hour for the handler of the demo, or else many for one that no replica has.
  private func putWaiting(in cluster: TimerCluster) async throws {
    guard waitingCount > 1_000 else {
      return try await cluster.put(
        (0..<waitingCount).map { number in
          NewJob(
            name: "mail \(1_000 + number)", handler: "mail",
            schedule: .every(.seconds(3_600), starting: .aligned))
        })
    }
    for start in stride(from: 0, to: waitingCount, by: 5_000) {
      try await cluster.put(
        (start..<min(start + 5_000, waitingCount)).map { number in
          NewJob(name: "archive \(1_000_000 + number)", handler: "archive", after: .seconds(86_400))
        })
    }
  }
}
