// Makes a population of timers, then performs one operation on many of them and exits.
//
//     swift run -c release Cost OPERATION COUNT POPULATION
//
// For .ci/cost, which counts the instructions of two runs. They differ only in `COUNT`, so the
// difference is the cost of the operations.

import TimerScheduling

#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

@main
struct Cost {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let operation = Operation(rawValue: arguments[1]),
      let count = Int(arguments[2]), let population = Int(arguments[3]), (1...population).contains(count)
    else {
      print("Usage: Cost \(Operation.allCases.map(\.rawValue).joined(separator: "|")) COUNT POPULATION")
      exit(EX_USAGE)
    }
    Task.detached { await operation.perform(count: count, among: population, on: TimerScheduler()) }
    // An asynchronous main function would leave this thread in sigsuspend, in which valgrind 3.19 crashes.
    while true { sleep(1000) }
  }
}
