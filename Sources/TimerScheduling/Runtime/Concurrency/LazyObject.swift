import Synchronization

/// An object that is created at first need. It isn't an `AtomicLazyReference`, as each load of that looks up
/// the metadata of its type and takes 100 ns.
@safe struct LazyObject<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  private let reference = unsafe Atomic<Unmanaged<Object>?>(nil)

  deinit {
    if let object = unsafe reference.load(ordering: .acquiring) { unsafe object.release() }
  }

  var made: Object? { unsafe reference.load(ordering: .acquiring)?.takeUnretainedValue() }

  var isMade: Bool { unsafe reference.load(ordering: .relaxed) != nil }

  /// Calls `body` with the object if it was created, without retaining it: threads that retain an object
  /// concurrently contend for its reference count.
  func withMade<Result>(_ body: (Object) -> Result) -> Result? {
    unsafe reference.load(ordering: .acquiring)?._withUnsafeGuaranteedRef(body)
  }

  func get(_ make: () -> Object) -> Object { made ?? publish(make()) }

  @inline(never)
  private func publish(_ object: Object) -> Object {
    let new = unsafe Unmanaged.passRetained(object)
    let (isFirst, current) = unsafe reference.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    guard !isFirst, let current = unsafe current else { return object }
    // Another thread has published its object first.
    unsafe new.release()
    return unsafe current.takeUnretainedValue()
  }
}
