#if os(Linux) && _pointerBitWidth(_64)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The job of an actor runs all tasks that wait for the actor, one after the other. Before each, the runtime
/// calls a function with the task's address, if one is set: it is meant for the thread sanitizer.
///
/// The runtime calls the function in each lazy initialization, too, and nothing orders its calls after the
/// thread that sets it. So the function initializes nothing, calls nothing generic that isn't inlined, and
/// reads variables that were written before there was a second thread.
enum RuntimeTurns {
  typealias Function = @convention(c) (UnsafeRawPointer?) -> Void

  /// The key of ``thread``. Nil if the system has none left.
  nonisolated(unsafe) private static var key: pthread_key_t?
  /// The function of the thread sanitizer, if that is at work.
  nonisolated(unsafe) private static var original: Function?
  /// The place of the function. Nil if the runtime has none.
  nonisolated(unsafe) private static var place: UnsafeMutablePointer<Function?>?

  static func prepare() {
    var made: pthread_key_t = 0
    if unsafe pthread_key_create(&made, nil) == 0 { unsafe key = made }
    unsafe place = dlsym(nil, "_swift_tsan_acquire")?.assumingMemoryBound(to: Function?.self)
    unsafe original = place?.pointee
  }

  /// The calling thread, while it runs a job of a world that explores orders.
  static var thread: UnsafeMutablePointer<WorldThread>? {
    get {
      guard let key = unsafe key, let pointer = unsafe pthread_getspecific(key) else { return nil }
      return unsafe pointer.assumingMemoryBound(to: WorldThread.self)
    }
    set { if let key = unsafe key { unsafe pthread_setspecific(key, newValue) } }
  }

  private static let goesOn: Function = { address in
    unsafe original?(address)
    guard let thread = unsafe thread else { return }
    unsafe Self.thread = nil
    defer { unsafe Self.thread = thread }
    unsafe World.goesOn(at: UInt(bitPattern: address), on: thread)
  }

  static let areSeen: Bool = {
    guard unsafe key != nil, let place = unsafe place else { return false }
    unsafe place.pointee = goesOn
    return true
  }()
}

/// The linker collects the functions of this section, and the loader calls them before `main`.
@section(".init_array") @used
private let prepareTurns: @convention(c) () -> Void = { RuntimeTurns.prepare() }
#endif
