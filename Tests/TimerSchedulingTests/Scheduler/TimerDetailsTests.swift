import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Most timers need no details while they only wait. A timer with a limit has them from the start. So a limit that is
/// never reached is the only difference between the two.
@Suite(.limited) struct TimerDetailsTests: VirtualTimeSuite {
  let time = VirtualTime.manual()

  // MARK: Without and with details

  enum Operation: CaseIterable {
    case pause, resume, resumeInPhase, resumeNow, cancel, fire, ask, restart, shorten, lengthen, repeatOften
    case setDate, setPastDate, listen, leave, take, wait, setClockBack, setClockAhead
  }

  /// A timer, and the observations of it.
  private struct Subject {
    var timer: ScheduledTimer?
    var listeners: [TimerFirings.AsyncIterator] = []
    let hasDetails: Bool
    let actionTicks = Journal<TimerTick>()

    func schedule(_ schedule: TimerSchedule) -> TimerSchedule {
      hasDetails ? schedule.limit(.max - 1) : schedule
    }
  }

  @Test(arguments: 0..<3, SeededGenerator.seeds(1, 2, 3, 4, 5, 6))
  func `A timer without details does as one that has them`(kind: Int, seed: UInt64) async {
    print("TimerDetails: kind \(kind), TIMER_SEED=\(seed)")
    var generator = SeededGenerator(seed: seed)
    for round in 0..<150 {
      var subjects = [false, true].map { Subject(hasDetails: $0) }
      let time = Double(Int.random(in: 1...8, using: &generator))
      let schedules = [TimerSchedule.after(time), .every(time), .at(clock.date + time)]
      let schedule = schedules.randomElement(using: &generator) ?? .after(time)
      for index in subjects.indices {
        let subject = subjects[index]
        let schedule = subject.schedule(schedule).tolerance(.milliseconds(1))
        subjects[index].timer =
          kind == 0
          ? scheduler.schedule(schedule) { [ticks = subject.actionTicks] in ticks.note($0) }
          : scheduler.timer(on: schedule, name: kind == 1 ? nil : "\(index)")
      }
      for _ in 0..<Int.random(in: 1...10, using: &generator) {
        let operation = Operation.allCases.randomElement(using: &generator) ?? .wait
        let number = Double(Int.random(in: 1...9, using: &generator)) / 2
        var outcomes: [String] = []
        for index in subjects.indices { outcomes.append(await perform(operation, number, &subjects[index])) }
        #expect(outcomes[0] == outcomes[1], "\(operation), round \(round): replay with TIMER_SEED=\(seed)")
        await settle()
        await move(operation, number)
        #expect(view(subjects[0]) == view(subjects[1]), "\(operation), round \(round), TIMER_SEED=\(seed)")
      }
      for subject in subjects { subject.timer?.cancel() }
    }
    #expect(await scheduler.timerCount == 0)
  }

  /// Has the driver make a pass, which delivers all ticks that are due, even within their tolerance. The driver may
  /// make one anyway for an operation on the first subject, perhaps before the same is done to the second.
  private func settle() async {
    await scheduler.driver.runPass()
    await scheduler.waitUntilActionsHaveEnded()
  }

  /// Performs an operation on the clock, and so on both subjects.
  private func move(_ operation: Operation, _ number: Double) async {
    switch operation {
    case .wait: await wait(number)
    case .setClockBack: await clock.setWallClock(by: .seconds(-number))
    case .setClockAhead: await clock.setWallClock(by: .seconds(number))
    default: return
    }
    await settle()
  }

  /// Lets time pass in steps in which no timer ticks twice. Else it would depend on chance whether its action
  /// had begun by the second tick.
  private func wait(_ seconds: Double) async {
    for _ in 0..<Int(seconds * 4) {
      await clock.advance(by: .seconds(0.25))
      await settle()
    }
  }

  private func view(_ subject: Subject) -> [String] {
    let timer = subject.timer
    let ticks = subject.actionTicks.entries.map { "\($0)" }
    return ["\(timer?.state as Any) \(timer?.nextDate as Any) \(timer?.remainingTime as Any)"] + ticks
  }

  private func perform(_ operation: Operation, _ number: Double, _ subject: inout Subject) async -> String {
    guard let timer = subject.timer else { return "" }
    switch operation {
    case .pause: timer.pause()
    case .resume: timer.resume()
    case .resumeInPhase: timer.resume(.keepingPhase)
    case .resumeNow: timer.resume(.immediately)
    case .cancel: timer.cancel()
    case .fire: timer.fire()
    case .ask: return "\(await scheduler.timer(id: timer.id)?.state as Any)"
    case .restart: timer.reschedule(subject.schedule(.after(9)))
    case .shorten: timer.reschedule(subject.schedule(.after(number / 8)))
    case .lengthen: timer.reschedule(subject.schedule(.after(number * 8)).tolerance(.seconds(1)))
    case .repeatOften: timer.reschedule(subject.schedule(.every(number)))
    case .setDate: timer.reschedule(subject.schedule(.at(clock.date + number)))
    case .setPastDate: timer.reschedule(subject.schedule(.at(clock.date - number)))
    case .listen: subject.listeners.append(timer.firings.makeAsyncIterator())
    case .leave: _ = subject.listeners.popLast()
    case .take:
      // Waiting for a tick that isn't there would take another task.
      guard case .finished = timer.state, var listener = subject.listeners.popLast() else { return "" }
      return "\(await listener.next() as Any)"
    case .wait, .setClockBack, .setClockAhead: break
    }
    return ""
  }

  @Test(arguments: [false, true], [false, true])
  func `The tick of a single deadline is kept for its listener`(hasDetails: Bool, isDate: Bool) async {
    let due = clock.date + 5
    let schedule = isDate ? TimerSchedule.at(due) : .after(5)
    let timer = scheduler.timer(on: hasDetails ? schedule.limit(.max - 1) : schedule)
    var ticks = timer.firings.makeAsyncIterator()
    clock.letPass(.seconds(7))
    await clock.advance(by: .zero)
    #expect(timer.state == .scheduled)
    let tick = await ticks.next()
    #expect(tick?.scheduledDate == due)
    #expect(tick?.date == due + 2)
    #expect(tick?.lateness == .seconds(2))
    #expect(await ticks.next() == nil)
    #expect(timer.state == .finished(.completed))
  }

  @Test(arguments: [false, true])
  func `A listener that has left isn't owed the tick`(hasDetails: Bool) async {
    let schedule = TimerSchedule.after(5)
    let timer = scheduler.timer(on: hasDetails ? schedule.limit(.max - 1) : schedule, name: "timer")
    _ = timer.firings
    await clock.advance(by: .seconds(5))
    #expect(timer.state == .finished(.completed))
  }

  @Test func `A timer for a date follows the wall clock`() async {
    let runs = Journal<TimerTick>()
    let start = clock.date
    for seconds in [10.0, 20, 40] { scheduler.schedule(.at(start + seconds)) { runs.note($0) } }
    await clock.setWallClock(to: start + 12)
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries.map(\.date) == [start + 12])
    #expect(runs.entries.map(\.lateness) == [.seconds(2)])
    await clock.setWallClock(to: start - 100)
    await clock.advance(by: .seconds(119))
    #expect(runs.entries.count == 1)
    await clock.advance(by: .seconds(1))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries.map(\.date) == [start + 12, start + 20])
    #expect(await scheduler.timerCount == 1)
  }

  @Test func `A thousand handles of one timer are counted`() async {
    var handles = [scheduler.timer(on: .every(1))]
    let id = handles[0].id
    for _ in 0..<1_000 {
      if let handle = await scheduler.timer(id: id) { handles.append(handle) }
    }
    #expect(handles.count == 1_001)
    handles.removeLast(1_000)
    #expect(await scheduler.timerCount == 1)
    handles = []
    #expect(await scheduler.timerCount == 0)
  }

  // MARK: Restarting

  @Test func `A timeout that is restarted over and over costs a wakeup in its time`() async {
    let runs = Journal<Date>()
    let timeout = scheduler.schedule(.after(10)) { runs.note($0.date) }
    for _ in 0..<100 {
      await clock.advance(by: .seconds(1))
      timeout.reschedule(.after(10))
    }
    #expect(clock.wakeupCount <= 11)
    let last = clock.date
    await clock.advance(by: .seconds(9.999))
    #expect(runs.entries.isEmpty)
    await clock.advance(by: .seconds(0.001))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == [last + 10])
  }

  @Test func `A timeout that is shortened just after it was made is in time`() async {
    let runs = Journal<Date>()
    let start = clock.date
    for seconds in [3600.0, 0.001, 60, 0.000_5] {
      let timeout = scheduler.schedule(.after(3600)) { runs.note($0.date) }
      timeout.reschedule(.after(seconds))
      await scheduler.waitForQueue()
      timeout.reschedule(.after(0.000_1))
    }
    await clock.advance(by: .seconds(1))
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries == Array(repeating: start + 0.000_1, count: 4))
  }
}
