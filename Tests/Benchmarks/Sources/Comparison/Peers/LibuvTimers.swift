#if canImport(CLibuv)
import CLibuv
import Foundation

/// libuv's timers, which have a resolution of a millisecond.
///
/// Confined to the caller until ``run()``, and to the loop's thread from there until no timer is left.
@safe final class LibuvTimers: OneShotPeer, RepeatingPeer, @unchecked Sendable {
  /// Confined as the loop is.
  @safe struct Handle: @unchecked Sendable {
    fileprivate let timer: UnsafeMutablePointer<uv_timer_t>
  }

  private let loop: UnsafeMutablePointer<uv_loop_t>
  private let counterData: UnsafeMutableRawPointer

  init(fired: FireCounter) throws {
    unsafe counterData = CallbackData.retain(fired)
    unsafe loop = .allocate(capacity: 1)
    guard unsafe uv_loop_init(loop) == 0 else { throw BenchmarkError("There is no libuv loop.") }
  }

  /// The loop frees closed handles as it runs.
  func settle() {
    _ = unsafe uv_run(loop, UV_RUN_NOWAIT)
  }

  func noteTime() {
    unsafe uv_update_time(loop)
  }

  func run() {
    Thread.detachNewThread { _ = unsafe uv_run(self.loop, UV_RUN_DEFAULT) }
  }

  func schedule(after delay: Delay) -> Handle {
    let timer = unsafe makeTimer(with: counterData)
    unsafe uv_timer_start(
      timer,
      { timer in
        let fired: FireCounter = unsafe CallbackData.object(timer?.pointee.data)
        fired.note()
      }, delay.roundedUpMilliseconds, 0)
    return unsafe Handle(timer: timer)
  }

  func restart(_ handle: inout Handle, after delay: Delay) {
    unsafe uv_timer_start(handle.timer, handle.timer.pointee.timer_cb, delay.roundedUpMilliseconds, 0)
  }

  func cancel(_ handle: consuming Handle) {
    unsafe close(handle.timer)
  }

  func tick(in rhythm: Rhythm, telling track: TickTrack) -> @Sendable () -> Void {
    noteTime()
    unsafe uv_timer_start(
      makeTimer(with: CallbackData.retain(track)),
      { timer in
        let track: TickTrack = unsafe CallbackData.object(timer?.pointee.data)
        guard track.isOver else { return track.note() }
        unsafe CallbackData.release(timer?.pointee.data)
        unsafe close(timer)
      }, rhythm.delay.roundedUpMilliseconds, UInt64(rhythm.interval.nanoseconds / 1_000_000))
    return { track.end() }
  }

  private func makeTimer(with data: UnsafeMutableRawPointer) -> UnsafeMutablePointer<uv_timer_t> {
    let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    unsafe uv_timer_init(loop, timer)
    unsafe timer.pointee.data = data
    return unsafe timer
  }
}

private func close(_ timer: UnsafeMutablePointer<uv_timer_t>?) {
  guard let timer = unsafe timer else { return }
  unsafe timer.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
    unsafe uv_close(handle) { unsafe $0?.deallocate() }
  }
}

extension Delay {
  fileprivate var roundedUpMilliseconds: UInt64 { UInt64((nanoseconds + 999_999) / 1_000_000) }
}
#endif
