import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// Actions run where they are written, without any mark.
@Suite(.limited, .guarantee("G49")) struct ActionIsolationTests {
  private let clock = VirtualClock(settlingTimeout: .whileMainActorIsBusy)

  @MainActor @Test func `Actions of an object of the main actor run there, whichever method makes them`()
    async
  {
    let (scheduler, model) = (TimerScheduler(clock: clock), Model())
    model.start(scheduler, clock.date)
    await clock.advance(by: .seconds(5))
    #expect(model.count == 11_115_555)
    #expect(model.values == [.seconds(2), .seconds(1), .zero])
  }

  @Test func `An action that uses self in an actor's method runs on that actor`() async {
    let (scheduler, counter) = (TimerScheduler(clock: clock), ActorModel())
    await counter.start(scheduler)
    await clock.advance(by: .seconds(5))
    #expect(await counter.count == 5)
    #expect(await counter.faultCount == 0)
  }

  @Test func `An action in code of no actor runs on none`() async {
    let (scheduler, isolations) = (TimerScheduler(clock: clock), Journal<Bool>())
    scheduler.schedule(every: 1, limit: 2) { _ in isolations.note(#isolation == nil) }
    let owner = TimerOwner()
    scheduler.schedule(every: 1, limit: 2, owner: owner) { _, _ in isolations.note(#isolation == nil) }
    await clock.advance(by: .seconds(5))
    #expect(isolations.entries == [true, true, true, true])
  }

  @MainActor @Test(.guarantee("G110")) func `Actions of the main actor begin in the order of their timers`()
    async
  {
    let (scheduler, order) = (TimerScheduler(clock: clock), Journal<Int>())
    for number in 0..<100 { scheduler.schedule(after: 1) { _ in order.note(number) } }
    await clock.advance(by: .seconds(1))
    #expect(order.entries == Array(0..<100))
  }

  // Fails if the action doesn't begin on the main actor.
  @MainActor @Test(.guarantee("G26"))
  func `No unmarked action runs after the main actor has cancelled its timer`() async {
    var (isCancelled, lateCount) = (false, 0)
    for _ in 0..<rounds(200) {
      let (scheduler, late) = (TimerScheduler(clock: clock), Flag())
      let timer = scheduler.schedule(every: 1) { _ in if late.isSet { late.wasSeen = true } }
      async let moved: Void = clock.advance(by: .seconds(1))
      for _ in 0..<Int.random(in: 0..<10) { await Task.yield() }
      timer.cancel()
      late.isSet = true
      await moved
      isCancelled = isCancelled || late.isSet
      if late.wasSeen { lateCount += 1 }
    }
    #expect(isCancelled && lateCount == 0)
  }

  @Test(.guarantee("G49")) func `An action that is written on a scheduler stops the program`() async {
    await #expect(processExitsWith: .failure) { await TimerScheduler().startOnItself() }
    await #expect(processExitsWith: .failure) {
      let scheduler = TimerScheduler()
      scheduler.schedule(every: 1, owner: scheduler) { _, _ in }
    }
  }

  @Test func `An action that takes its owner needs one`() async {
    await #expect(processExitsWith: .failure) {
      TimerScheduler().schedule(every: 1, owner: TimerOwner.none) { _, _ in }
    }
    await #expect(processExitsWith: .failure) {
      TimerScheduler().countdown(from: 1, owner: TimerOwner.none) { _, _ in }
    }
  }
}

extension TimerScheduler {
  fileprivate func startOnItself() {
    schedule(every: 1) { _ in self.assertIsolated() }
  }
}

@MainActor private final class Flag {
  var isSet = false
  var wasSeen = false
}

@MainActor private final class Model {
  private(set) var count = 0
  private(set) var values: [Duration] = []

  func start(_ scheduler: TimerScheduler, _ date: Date) {
    scheduler.schedule(.every(1), owner: self) { model, _ in model.count += 1 }
    scheduler.schedule(every: .seconds(1), owner: self, timeout: .seconds(10)) { model, _ in model.count += 10
    }
    scheduler.schedule(every: 1, owner: self) { model, _ in model.count += 100 }
    scheduler.schedule(every: 1) { _ in self.count += 1_000 }
    scheduler.schedule(after: .seconds(1), owner: self) { model, _ in model.count += 10_000 }
    scheduler.schedule(after: 1) { [weak self] _ in self?.count += 100_000 }
    scheduler.schedule(at: date + 1, owner: self, perform: Self.note)
    scheduler.schedule(at: date + 1, perform: note)
    scheduler.countdown(from: 2, owner: self) { model, value in model.values.append(value) }
  }

  private static func note(_ model: Model, _ tick: TimerTick) { model.count += 1_000_000 }

  private func note(_ tick: TimerTick) { count += 10_000_000 }
}

private actor ActorModel {
  private(set) var count = 0
  private(set) var faultCount = 0

  func start(_ scheduler: TimerScheduler) {
    scheduler.schedule(every: 1, limit: 5) { _ in
      self.count += 1
      if #isolation !== self { self.faultCount += 1 }
    }
  }
}
