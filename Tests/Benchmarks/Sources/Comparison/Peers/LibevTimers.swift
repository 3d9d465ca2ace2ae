#if canImport(CLibev)
import CLibev
import Foundation

/// libev's timers.
///
/// Confined to the caller until ``run()``, and to the loop's thread from there until no timer is left.
@safe final class LibevTimers: OneShotPeer, RepeatingPeer, @unchecked Sendable {
  /// Confined as the loop is.
  @safe struct Handle: @unchecked Sendable {
    fileprivate let timer: UnsafeMutablePointer<ev_timer>
  }

  private let loop: OpaquePointer
  private let fired: FireCounter

  init(fired: FireCounter) throws {
    self.fired = fired
    guard let loop = unsafe ev_loop_new(0) else { throw BenchmarkError("There is no libev loop.") }
    unsafe self.loop = loop
  }

  func noteTime() {
    unsafe ev_now_update(loop)
  }

  func run() {
    Thread.detachNewThread { _ = unsafe ev_run(self.loop, 0) }
  }

  func schedule(after delay: Delay) -> Handle {
    let timer = UnsafeMutablePointer<ev_timer>.allocate(capacity: 1)
    unsafe initialize_ev_timer(
      timer, { _, timer, _ in unsafe (object(timer?.pointee.data) as FireCounter).note() }, delay.seconds, 0)
    unsafe timer.pointee.data = Unmanaged.passUnretained(fired).toOpaque()
    unsafe ev_timer_start(loop, timer)
    return unsafe Handle(timer: timer)
  }

  func restart(_ handle: inout Handle, after delay: Delay) {
    unsafe handle.timer.pointee.repeat = delay.seconds
    unsafe ev_timer_again(loop, handle.timer)
  }

  func cancel(_ handle: consuming Handle) {
    unsafe ev_timer_stop(loop, handle.timer)
    unsafe handle.timer.deallocate()
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    noteTime()
    let timer = UnsafeMutablePointer<ev_timer>.allocate(capacity: 1)
    unsafe initialize_ev_timer(
      timer,
      { loop, timer, _ in
        let track: TickTrack = unsafe object(timer?.pointee.data)
        if track.isOver { unsafe ev_timer_stop(loop, timer) } else { track.note() }
      }, rhythm.delay.seconds, rhythm.interval.seconds)
    unsafe timer.pointee.data = Unmanaged.passUnretained(track).toOpaque()
    unsafe ev_timer_start(loop, timer)
    return { track.end() }
  }
}

extension Delay {
  fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}
#endif
