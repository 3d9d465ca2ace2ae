import Dispatch
import Foundation

/// W8: `count` threads replace timers of one peer, each its own 1,000. Done from outside a peer's loop.
struct Contending: OneShotWorkload {
  private static let timersPerThread = 1000
  private static let delays: ClosedRange<Duration> = .seconds(60) ... .seconds(3600)

  var count: Int
  var duration: Duration

  func run<Peer: OneShotPeer>(_ type: Peer.Type) throws -> Findings {
    let peer = try Peer(fired: FireCounter())
    let ready = DispatchGroup()
    let finished = DispatchGroup()
    let go = DispatchSemaphore(value: 0)
    let operations = (0..<count).map { number in
      let operations = Outcome<Int>()
      ready.enter()
      finished.enter()
      Thread.detachNewThread { [duration] in
        var generator = SeededGenerator(seed: UInt64(number))
        var handles = (0..<Self.timersPerThread).map { _ in
          peer.schedule(after: generator.delay(in: Self.delays))
        }
        ready.leave()
        go.wait()
        operations.set(Self.replace(&handles, of: peer, for: duration, &generator))
        finished.leave()
      }
      return operations
    }
    ready.wait()
    let before = ProcessUsage.whenQuiet()
    let start = Uptime.now
    for _ in 0..<count { go.signal() }
    finished.wait()
    // Work that was handed to a queue or a loop has to be done, too.
    let after = ProcessUsage.whenQuiet()
    let sum = Double(try operations.reduce(0) { $0 + (try $1.get()) })
    return Findings([
      .operations: sum,
      .operationsPerSecond: sum / ((after.time - start).duration / .seconds(1)),
      .replace: (after.cpu - before.cpu).microseconds / sum,
    ])
  }

  private static func replace<Peer: OneShotPeer>(
    _ handles: inout [Peer.Handle], of peer: Peer, for duration: Duration,
    _ generator: inout SeededGenerator
  ) -> Int {
    let end = Uptime.now + Delay(duration)
    var count = 0
    while count % 128 != 0 || .now < end {
      let index = Int.random(in: handles.indices, using: &generator)
      let old = handles[index]
      handles[index] = peer.schedule(after: generator.delay(in: delays))
      peer.cancel(old)
      count += 1
    }
    return count
  }
}
