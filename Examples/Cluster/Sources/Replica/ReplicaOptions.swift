import ArgumentParser
import Foundation
import TimerScheduling

/// The options that all replicas take.
struct ReplicaOptions: ParsableArguments {
  @OptionGroup var database: DatabaseOptions

  @Option(help: "The name of this replica.")
  var name = "replica \(ProcessInfo.processInfo.processIdentifier)"

  @Option(help: "The seconds from one date of a job to the next.")
  var step = 5.0

  @Option(help: "How many seconds a job takes.")
  var work = 1.0

  func validate() throws {
    do {
      _ = try TimerSchedule(validatingEvery: step)
      _ = try TimerSchedule(validatingAfter: work)
    } catch {
      throw ValidationError("\(error)")
    }
  }

  var schedule: TimerSchedule { .every(.seconds(step), starting: .aligned).missedTicks(.burst) }
}
