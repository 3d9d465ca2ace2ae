import Dispatch
import Foundation
import TimerScheduling

/// A timer of 10 ms, while eight threads fire timers by hand, 100,000 times a second in all.
struct FiringByHand {
  func run() throws -> [Strain.Finding] {
    let scheduler = TimerScheduler()
    let fired = FireCounter()
    let end = Uptime.now + Delay(.seconds(9))
    var findings = TickWatch.compare(scheduler, named: "eight threads fire by hand") {
      let group = DispatchGroup()
      for _ in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          let timer = scheduler.schedule(.every(.seconds(3600))) { _ in }
          var next = Uptime.now
          while next < end {
            for _ in 0..<25 {
              timer.fire()
              fired.note()
            }
            next = next + Delay(.milliseconds(2))
            next.wait()
          }
          timer.cancel()
          group.leave()
        }
      }
      group.wait()
    }
    findings.append(
      Strain.Finding(title: "calls of fire() in a second", value: Double(fired.count) / 9, unit: ""))
    return findings
  }
}
