import Dispatch
import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The interceptor that encloses the runs of actions.
@Suite(.tags(.threads), .limited, .guarantee("G54")) struct InterceptorTests {
  private let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)
  private let journal = Journal<String>()

  private struct Failure: Error {}
  private struct Refusal: Error {}

  private enum Locals {
    @TaskLocal static var span = "none"
  }

  private func scheduler(_ interceptor: @escaping TimerScheduler.ActionInterceptor) -> TimerScheduler {
    var configuration = TimerScheduler.Configuration.silent
    configuration.interceptor = interceptor
    return TimerScheduler(clock: clock, configuration: configuration)
  }

  @Test func `An interceptor encloses each run, which sees its task-local values`() async {
    let scheduler = scheduler { [journal] tick, body in
      let name = ActionRun.current?.name ?? "-"
      journal.note("begin \(name) \(tick.index)")
      try await Locals.$span.withValue("span of \(name)") { try await body() }
      journal.note("end \(name) \(tick.index)")
    }
    scheduler.schedule(.every(1), name: "a") { [journal] tick in
      journal.note("run \(tick.index) in \(Locals.span)")
    }
    await clock.advance(by: .seconds(2))
    #expect(
      journal.entries == [
        "begin a 0", "run 0 in span of a", "end a 0", "begin a 1", "run 1 in span of a", "end a 1",
      ])
  }

  @Test func `An action with an owner is enclosed, too`() async {
    let scheduler = scheduler { [journal] tick, body in
      journal.note("begin \(tick.index)")
      try await body()
    }
    let owner = TimerOwner()
    scheduler.schedule(.every(1), owner: owner) { [journal] _, tick in journal.note("run \(tick.index)") }
    await clock.advance(by: .seconds(1))
    #expect(journal.entries == ["begin 0", "run 0"])
    withExtendedLifetime(owner) {}
  }

  @Test func `An interceptor sees the action's error, and its own error counts`() async {
    let scheduler = scheduler { [journal] tick, body in
      do {
        try await body()
      } catch is Failure {
        journal.note("caught \(tick.index)")
      }
      if tick.index == 1 { throw Refusal() }
    }
    let timer = scheduler.schedule(.every(1), onError: .finish) { _ in throw Failure() }
    await clock.advance(by: .seconds(1))
    #expect(timer.state == .scheduled)
    #expect(timer.failure == nil)
    await clock.advance(by: .seconds(5))
    #expect(timer.state == .finished(.failed))
    #expect(timer.failure is Refusal)
    #expect(journal.entries == ["caught 0", "caught 1"])
    #expect(await scheduler.statistics.failureCount == 1)
  }

  @Test func `A run that it leaves out isn't one, and the timer goes on`() async {
    let scheduler = scheduler { tick, body in
      if !tick.index.isMultiple(of: 2) { try await body() }
    }
    scheduler.schedule(.every(1)) { [journal] tick in journal.note("run \(tick.index)") }
    await clock.advance(by: .seconds(4))
    #expect(journal.entries == ["run 1", "run 3"])
    #expect(await scheduler.statistics.tickCount == 4)
  }

  @Test func `An interceptor runs on the action's isolation`() async {
    // The main actor's queue, which on Linux isn't the main thread's.
    let (journal, isMain) = (journal, DispatchSpecificKey<Bool>())
    DispatchQueue.main.setSpecific(key: isMain, value: true)
    let scheduler = scheduler { tick, body in
      journal.note(DispatchQueue.getSpecific(key: isMain) == true ? "main" : "elsewhere")
      try await body()
    }
    let onMain = scheduler.schedule(.every(1)) { @MainActor _ in
      MainActor.preconditionIsolated()
      journal.note("action on main")
    }
    await clock.advance(by: .seconds(1))
    onMain.cancel()
    scheduler.schedule(.every(1)) { _ in journal.note("action") }
    await clock.advance(by: .seconds(1))
    #expect(journal.entries == ["main", "action on main", "elsewhere", "action"])
  }

  @Test(.guarantee("G58"), arguments: [false, true])
  @MainActor func `After the main actor has cancelled a timer, its action doesn't run`(suspends: Bool) async {
    let isCancelled = Box<Bool>()
    for _ in 0..<500 {
      isCancelled.value = false
      var configuration = TimerScheduler.Configuration.silent
      configuration.interceptor = { _, body in
        if suspends { await Task.yield() }
        try await body()
      }
      let scheduler = TimerScheduler(configuration: configuration)
      let timer = scheduler.schedule(.every(.microseconds(20))) { @MainActor _ in
        #expect(isCancelled.value == false)
      }
      for _ in 0..<5 { await Task.yield() }
      timer.cancel()
      isCancelled.value = true
      await timer.cancelAndWait()
    }
  }

  enum Interruption: CaseIterable { case cancel, replace, reschedule, shutdown, pause }

  @Test(.guarantee("G58"), arguments: Interruption.allCases)
  func `A change before the interceptor's call prevents the run, and a pause puts it off`(by: Interruption)
    async
  {
    let (begun, mayGoOn, runs) = (Latch(), Latch(), Journal<Int>())
    var configuration = TimerScheduler.Configuration.silent
    configuration.interceptor = { _, body in
      begun.open()
      await mayGoOn.wait()
      try await body()
    }
    let scheduler = TimerScheduler(configuration: configuration)
    let timer = scheduler.schedule(.after(0.001), name: "a") { tick in runs.note(tick.index) }
    await begun.wait()
    switch by {
    case .cancel: timer.cancel()
    case .replace: scheduler.schedule(.every(1000), name: "a") { _ in }
    case .reschedule: timer.reschedule(.after(1000))
    case .shutdown: scheduler.shutdown()
    case .pause: timer.pause()
    }
    mayGoOn.open()
    await scheduler.waitUntilActionsHaveEnded()
    #expect(runs.entries.isEmpty)
    if by == .pause {
      timer.resume()
      await timer.waitUntilFinished()
      #expect(runs.entries == [0])
    }
    await scheduler.shutdownAndWait()
  }

  @Test(.guarantee("G60")) func `An action finds for which timer it runs, and its tasks do, too`() async {
    let scheduler = TimerScheduler(clock: clock)
    let found = Journal<[ActionRun?]>()
    let timer = scheduler.schedule(.after(1), name: "a") { _ in
      let child = await Task { ActionRun.current }.value
      let detached = await Task.detached { ActionRun.current }.value
      found.note([ActionRun.current, child, detached])
    }
    await clock.advance(by: .seconds(1))
    let runs = await found.next() ?? []
    #expect(runs.map { $0?.timer } == [timer.id, timer.id, nil])
    #expect(runs.map { $0?.name } == ["a", "a", nil])
    #expect(ActionRun.current == nil)
  }
}
