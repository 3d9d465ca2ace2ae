// What the snippets of the documentation take for granted. `.ci/snippets` compiles each of them after this.

import Foundation
import TimerScheduling
import TimerSchedulingTesting

let scheduler = TimerScheduler()
let arguments: [String: String] = [:]
nonisolated(unsafe) var counter = 0

func start(_ schedule: TimerSchedule) {}

actor Cache {
  func refresh() {}
  func evict(olderThan date: Date) {}
}

let cache = Cache()

actor Report {
  func rotate(at date: Date) {}
}

let report = Report()

actor Metrics {
  func flush(at date: Date) {}
}

let metrics = Metrics()

struct ProgramConfiguration {
  var refreshSeconds = 1.0
}

let configuration = ProgramConfiguration()

let timer = scheduler.timer(on: .every(1))

actor Server {
  func run() async throws {}
}

let server = Server()

actor Database {
  func migrate() throws {}
}

let database = Database()

struct Request {}

actor Session {
  nonisolated let requests = AsyncStream<Request> { $0.finish() }

  func handle(_ request: Request) {}
  func end() {}
}

let session = Session()

let clock = VirtualClock()

func fetchWithRetries(clock: some Clock<Duration>) async throws -> String { "" }

actor Jobs {
  func runThoseDue() throws {}
}

let jobs = Jobs()
