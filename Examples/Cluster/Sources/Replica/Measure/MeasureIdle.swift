import ArgumentParser
import TimerScheduling
import TimerSchedulingCluster

/// Counts the requests of a replica whose jobs aren't due.
struct MeasureIdle: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "idle", abstract: "Count what a replica with hourly jobs asks of the database.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "The number of jobs.")
  var jobs = 100

  @Option(help: "The minutes to count.")
  var minutes = 3

  @Option(help: "The seconds of the lease.")
  var lease = 15.0

  func run() async throws {
    let counts = CountingStore.Counts()
    let store = CountingStore(store: try await database.open().store, counts: counts)
    let scheduler = TimerScheduler()
    let cluster = TimerCluster(store: store, scheduler: scheduler, lease: .seconds(lease))
    for number in 0..<jobs {
      cluster.schedule(.every(.seconds(3_600), starting: .aligned), name: "idle \(number)") { _ in }
    }
    try await scheduler.sleep(for: 10)
    for minute in 0...minutes {
      print(minute == 0 ? "At the start:" : "In minute \(minute):")
      for (name, count) in counts.take().sorted(by: { $0.value > $1.value }) { print("  \(count) × \(name)") }
      if minute < minutes { try await scheduler.sleep(for: 60) }
    }
    await scheduler.shutdownAndWait()
  }
}
