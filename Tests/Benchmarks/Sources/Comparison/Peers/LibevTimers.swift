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
  private let counterData: UnsafeMutableRawPointer

  init(fired: FireCounter) throws {
    unsafe counterData = CallbackData.retain(fired)
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
      timer,
      { _, timer, _ in
        let fired: FireCounter = unsafe CallbackData.object(timer?.pointee.data)
        fired.note()
      }, delay.seconds, 0)
    unsafe timer.pointee.data = counterData
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
        let track: TickTrack = unsafe CallbackData.object(timer?.pointee.data)
        guard track.isOver else { return track.note() }
        unsafe ev_timer_stop(loop, timer)
        unsafe CallbackData.release(timer?.pointee.data)
        unsafe timer?.deallocate()
      }, rhythm.delay.seconds, rhythm.interval.seconds)
    unsafe timer.pointee.data = CallbackData.retain(track)
    unsafe ev_timer_start(loop, timer)
    return { track.end() }
  }
}

extension Delay {
  fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}
#endif
