import Foundation
import TimerScheduling
import TimerSchedulingTesting

extension Run {
  func make(_ number: Int, _ blueprint: Blueprint) {
    if let place = blueprint.owner {
      make(number, blueprint, owner: owner(at: place))
    } else {
      makeUnowned(number, blueprint)
    }
  }

  private func makeUnowned(_ number: Int, _ blueprint: Blueprint) {
    let schedule = blueprint.plan.schedule
    switch blueprint.form {
    case .stream(let habits):
      follow(scheduler.ticks(on: schedule, name: blueprint.name), number, blueprint, habits)
    case .timer:
      keep(scheduler.timer(on: schedule, name: blueprint.name), as: number)
    case .action(let habits, let failsAt, let onError):
      let consumer = consumer(number, habits)
      keep(
        scheduler.schedule(schedule, name: blueprint.name, onError: onError) { tick in
          if await consumer.take(Tick(tick)) == failsAt { throw Failure() }
        },
        as: number)
    }
  }

  private func make(_ number: Int, _ blueprint: Blueprint, owner: some AnyObject & Sendable) {
    let schedule = blueprint.plan.schedule
    switch blueprint.form {
    case .stream(let habits):
      follow(scheduler.ticks(on: schedule, name: blueprint.name, owner: owner), number, blueprint, habits)
    case .timer:
      keep(scheduler.timer(on: schedule, name: blueprint.name, owner: owner), as: number)
    case .action(let habits, let failsAt, let onError):
      let consumer = consumer(number, habits)
      keep(
        scheduler.schedule(schedule, name: blueprint.name, owner: owner, onError: onError) { _, tick in
          if await consumer.take(Tick(tick)) == failsAt { throw Failure() }
        },
        as: number)
    }
  }

  private struct Failure: Error {}

  private func consumer(_ number: Int, _ habits: Habits) -> SimulatedConsumer {
    let consumer = SimulatedConsumer(habits, clock)
    consumers[number] = consumer
    return consumer
  }

  private func follow(
    _ stream: AsyncStream<Date>, _ number: Int, _ blueprint: Blueprint, _ habits: Habits
  ) {
    if let text = blueprint.name { namedStreams[Name(text: text, owner: blueprint.owner)] = number }
    follow(stream, as: number, habits) { Tick(date: $0.moment) }
  }

  func listen(to timer: Int, as consumer: Int, _ habits: Habits) {
    guard let handle = handles[timer] else { return }
    follow(handle.firings, as: consumer, habits) { Tick($0) }
  }

  private func follow<Element: Sendable>(
    _ sequence: some AsyncSequence<Element, Never> & Sendable, as number: Int, _ habits: Habits,
    _ tick: @escaping @Sendable (Element) -> Tick
  ) {
    let consumer = consumer(number, habits)
    tasks[number] = clock.addTask { await consumer.follow(sequence, tick) }
  }
}
