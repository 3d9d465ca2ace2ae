import Foundation
import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// To which test a failure and a task-local value belong: rule T11.
@Suite(.limited, .guarantee("G211")) struct FailurePlaceTests {
  @TaskLocal private static var tenant = "none"

  // MARK: K21

  @Test(arguments: FailingCode.allCases)
  func `What fails in an action fails the test`(code: FailingCode) async throws {
    let found = Journal<String>()
    try await withKnownIssue {
      try await withVirtualClock { clock in
        code.schedule(on: TimerScheduler(clock: clock, configuration: .silent))
        try await Task.sleep(for: .seconds(2))
      }
    } matching: { issue in
      found.note(issue.sourceLocation?.fileName ?? "nowhere")
      return true
    }
    #expect(found.entries == ["FailurePlaceTests.swift"])
  }

  @Test(arguments: FailingCode.allCases)
  func `What fails in an action of a bare clock fails the test`(code: FailingCode) async throws {
    let found = Counter()
    await withKnownIssue {
      let clock = VirtualClock()
      code.schedule(on: TimerScheduler(clock: clock, configuration: .silent))
      await clock.advance(by: 2)
    } matching: { _ in
      found.add()
      return true
    }
    #expect(found.value == 1)
  }

  @Test func `Code that runs in a world knows the test and has its task-local values`() async throws {
    try await Self.$tenant.withValue("acme") {
      try await withVirtualClock { clock in
        let values = Journal<String>()
        let note: @Sendable (String) -> Void = {
          values.note("\($0): \(Self.tenant), \(Test.current != nil)")
        }
        let scheduler = TimerScheduler(clock: clock)
        scheduler.schedule(.rule(NotingRule { note("rule") }).limit(1)) { _ in note("run by a rule") }
        scheduler.schedule(after: 1) { _ in note("action") }
        scheduler.schedule(after: 2) { @MainActor _ in note("action on the main actor") }
        scheduler.schedule(after: 3) { _ in await Task { note("task of an action") }.value }
        scheduler.timer(on: .after(4)).fire()
        clock.addTask { note("added task") }
        try await Task.sleep(for: .seconds(100))
        let kinds = Set(values.entries.map { $0.prefix { $0 != ":" } })
        #expect(kinds.count == 6)
        for value in values.entries { #expect(value.hasSuffix(": acme, true")) }
      }
    }
  }

  @Test func `A run has the values of the task that made a bare clock`() async {
    let values = Journal<String>()
    await Self.$tenant.withValue("acme") {
      let clock = VirtualClock()
      let scheduler = TimerScheduler(clock: clock)
      scheduler.schedule(every: 1, limit: 3) { _ in values.note(Self.tenant) }
      await Self.$tenant.withValue("other") { await clock.advance(by: 2) }
      await Task.detached { await clock.advance(by: 1) }.value
    }
    #expect(values.entries == ["acme", "acme", "acme"])
  }
}

/// Code that fails in an action.
enum FailingCode: CaseIterable, Sendable {
  case expectation, requirement, helper, taskOfAction, mainActor, owner

  func schedule(on scheduler: TimerScheduler) {
    switch self {
    case .expectation: scheduler.schedule(after: 1) { _ in #expect(Bool(false)) }
    case .requirement: scheduler.schedule(after: 1) { _ in try #require(Bool(false)) }
    case .helper: scheduler.schedule(after: 1) { _ in fail() }
    case .taskOfAction: scheduler.schedule(after: 1) { _ in await Task { fail() }.value }
    case .mainActor: scheduler.schedule(after: 1) { @MainActor _ in fail() }
    case .owner:
      let fake = Fake()
      scheduler.schedule(every: 1, limit: 1, owner: fake) { fake, _ in fake.call() }
      scheduler.schedule(after: 1) { _ in withExtendedLifetime(fake) {} }
    }
  }
}

private func fail() { Issue.record("failed") }

/// A fake that a timer calls.
private actor Fake {
  func call() { fail() }
}

private struct NotingRule: TickRule {
  let note: @Sendable () -> Void

  func nextTick(after date: Date) -> Date? {
    note()
    return date + 10
  }
}
