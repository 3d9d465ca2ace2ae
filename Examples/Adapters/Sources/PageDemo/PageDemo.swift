// Serves the operator's page for as many timers as you like, beside one that ticks every 50 ms. The page's
// browser tests and its measurements use it. With `--trouble 1`, one more timer hangs, one fails, and some
// have names that could do harm. With `--jobs 120`, there is a cluster with as many jobs and one that fails.
// With `--dead 120` as many others have failed for good, and with `--running 2` as many are under way. It
// ends on Ctrl-C.
//
//     swift run --package-path Examples/Adapters PageDemo --port 8080 --timers 10000

import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import TimerLifecycle
import TimerOperatorPage
import TimerSQLite
import TimerScheduling
import TimerSchedulingCluster

@main
struct PageDemo {
  private struct DiskFull: Error {}

  private static let harmfulNames = [
    "<script>document.title = 'script'</script><img src=x onerror=\"document.title = 'image'\">",
    "\u{202E}gnp.refsnart\u{2066} \u{62A}\u{642}\u{631}\u{64A}\u{631} 5",
    "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467} family\nname\ttab", String(repeating: "W", count: 300),
  ]

  static func main() async throws {
    let history = TimerHistory()
    var configuration = TimerScheduler.Configuration()
    configuration.record(in: history)
    let jobs = TimerScheduler(configuration: configuration)
    let sessions = TimerScheduler()
    let beats = Beats()
    jobs.schedule(every: .milliseconds(50), name: "beat") { tick in beats.add(tick.lateness) }
    for number in 0..<(option("timers") ?? 10) {
      jobs.schedule(
        every: .seconds(60 + number % 60), tolerance: .seconds(1), name: "timer \(number)"
      ) { _ in }
    }
    if option("trouble") != nil {
      jobs.schedule(every: .seconds(2), name: "hung") { _ in try await Task.sleep(for: .seconds(86_400)) }
      jobs.schedule(every: .seconds(1), name: "failing") { _ in throw DiskFull() }
      for name in harmfulNames { jobs.schedule(every: .seconds(60), name: name) { _ in } }
    }
    for _ in 0..<3 { sessions.schedule(after: 1_800) { _ in } }

    let mailing = TimerScheduler()
    var cluster: TimerCluster?
    if option("jobs") != nil {
      // A file, as a store in memory looks at all of its jobs at each request.
      removeStore()
      let demo = TimerCluster(
        store: try await SQLiteTimerStore(path: storePath), scheduler: mailing, replica: "demo")
      cluster = demo
      try await DemoJobs(
        waitingCount: option("jobs") ?? 0, deadCount: option("dead") ?? 0,
        runningCount: option("running") ?? 0,
        harmfulTexts: option("trouble") == nil ? [] : harmfulNames
      ).put(in: demo, of: mailing)
    }

    let router = Router()
    router.addMiddleware { HostMiddleware(allowedHosts: []) }
    router.addMiddleware { OwnSiteMiddleware() }
    OperatorPage(
      schedulers: [
        ShownScheduler(jobs, name: "jobs", history: history), ShownScheduler(sessions, name: "sessions"),
      ], cluster: cluster, access: .open
    ).addRoutes(to: router)
    router.get("beats") { _, _ in beats.takeSummary() }
    router.post("pause-all") { _, _ in
      await jobs.pauseAll()
      return "paused\n"
    }
    let server = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: option("port") ?? 8080)))
    try await ServiceGroup(
      services: [sessions, mailing, server, jobs], gracefulShutdownSignals: [.sigterm, .sigint],
      logger: Logger(label: "demo")
    ).run()
    removeStore()
  }

  /// The file of the jobs, which the next demo on this port removes if this one is killed.
  private static var storePath: String {
    FileManager.default.temporaryDirectory.appendingPathComponent(
      "page-demo-\(option("port") ?? 8080).sqlite"
    )
    .path
  }

  private static func removeStore() {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: storePath + suffix) }
  }

  private static func option(_ name: String) -> Int? {
    let arguments = CommandLine.arguments
    guard let index = arguments.firstIndex(of: "--\(name)"), index + 1 < arguments.count else { return nil }
    return Int(arguments[index + 1])
  }
}
