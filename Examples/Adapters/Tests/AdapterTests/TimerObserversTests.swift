import Synchronization
import Testing
import TimerObserving
import TimerScheduling
import TimerSchedulingTesting

@Test func `Each of several observers is told of everything, in turn`() async {
  let told = Told()
  var configuration = TimerScheduler.Configuration()
  configuration.observer = TimerObservers(told.observer(named: "first"), told.observer(named: "second"))
  let clock = VirtualClock()
  let scheduler = TimerScheduler(clock: clock, configuration: configuration)
  scheduler.schedule(.after(.seconds(1)), name: "job") { _ in }
  await clock.advance(by: .seconds(1))
  #expect(
    told.lines == [
      "first scheduled", "second scheduled", "first ticked", "second ticked", "first finished",
      "second finished",
    ])
}

private final class Told: Sendable {
  private let all = Mutex<[String]>([])

  var lines: [String] { all.withLock { $0 } }

  func observer(named name: String) -> some TimerObserver { Observer(name: name, told: self) }

  private struct Observer: TimerObserver {
    let name: String
    let told: Told

    func observe(_ event: TimerEvent) {
      let kind =
        switch event.kind {
        case .scheduled: "scheduled"
        case .ticked: "ticked"
        case .finished: "finished"
        default: "something else"
        }
      told.all.withLock { $0.append("\(name) \(kind)") }
    }
  }
}
