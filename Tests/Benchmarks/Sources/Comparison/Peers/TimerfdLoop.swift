import CLinux
import Foundation
import Glibc

/// A heap and a `timerfd` on a thread of their own, with nothing around them: the cost of the system itself.
final class TimerfdLoop: RepeatingPeer, @unchecked Sendable {
  private typealias Heap = DeadlineHeap<(interval: Delay, track: TickTrack)>

  /// Belongs to the loop's thread from ``run()`` until the heap is empty, and to the caller before and after.
  private var heap = Heap()
  private let file: Int32

  init(fired: FireCounter) throws {
    file = timerfd_create(CLOCK_MONOTONIC, 0)
    guard file >= 0 else { throw BenchmarkError("There is no timerfd.") }
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    heap.insert(Heap.Node((rhythm.interval, track)), at: rhythm.start)
    return { track.end() }
  }

  func run() {
    Thread.detachNewThread { self.loop() }
  }

  private func loop() {
    var expirations: UInt64 = 0
    while let first = heap.first {
      arm_timerfd(file, first.deadline.nanoseconds)
      _ = unsafe read(file, &expirations, MemoryLayout<UInt64>.size)
      let now = Uptime.now
      while let node = heap.popExpired(at: now) {
        let (interval, track) = node.payload
        if track.isOver { continue }
        track.note()
        heap.insert(node, at: node.deadline + interval)
      }
    }
  }
}
