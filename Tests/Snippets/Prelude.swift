// Declarations that the snippets of the documentation use. `.ci/snippets` compiles each snippet after this,
// and runs the snippets that print, each in a process of its own.

import Foundation
import Synchronization
import TimerScheduling
import TimerSchedulingCluster
import TimerSchedulingTesting

let clock = VirtualClock()
let scheduler = TimerScheduler(clock: clock)
let arguments = ["refresh": "soon"]
nonisolated(unsafe) var counter = 0

func start(_ schedule: TimerSchedule) {}

actor Cache {
  func refresh() {}
  func evict(olderThan date: Date) {}
}

let cache = Cache()

let cluster = TimerCluster(store: MemoryTimerStore(), scheduler: scheduler)

struct MailServerIsBusy: Error {}

func mail(_ address: String) async throws {}

actor Report {
  func rotate(at date: Date) {}
}

let report = Report()

actor Metrics {
  func flush(at date: Date) {}
}

let metrics = Metrics()

struct Logger {
  func info(_ message: String) {}
}

let logger = Logger()

struct ProgramConfiguration {
  var refreshSeconds = -5.0
}

let configuration = ProgramConfiguration()

let timer = scheduler.timer(on: .every(1))

actor Server {
  func run() async throws {}
}

let server = Server()

actor Database {
  func migrate() throws {}
  func rows(_ sql: String, _ parameters: [String?]) throws -> [[String?]] { [] }
  func insert(_ row: String) throws {}
  func listen(to channel: String, _ notified: @Sendable () -> Void) throws {}

  func transaction(_ body: @Sendable (Database) async throws -> Void) async throws { try await body(self) }
}

let database = Database()

@MainActor final class Screen {
  nonisolated init() {}

  func show(_ text: String) {}
}

let screen = Screen()

struct Request {}

actor Session {
  nonisolated let requests = AsyncStream<Request> { $0.finish() }

  func handle(_ request: Request) {}
  func end() {}
}

let session = Session()

func fetch() async throws -> String { "" }
func fetchWithRetries(clock: some Clock<Duration>) async throws -> String { "" }

actor Jobs {
  func runThoseDue() throws {}
}

let jobs = Jobs()

/// Runs a snippet that waits for time, which passes by itself.
func movingTime(_ snippet: @escaping @Sendable () async throws -> Void) async throws {
  let isOver = Mutex(false)
  let body = clock.addTask {
    defer { isOver.withLock { $0 = true } }
    try await snippet()
  }
  while !isOver.withLock(\.self) { await clock.advance(by: .seconds(1)) }
  try await body.value
}
