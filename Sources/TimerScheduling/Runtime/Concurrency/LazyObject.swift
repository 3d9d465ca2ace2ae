import Synchronization

/// An object that is made at first need, by whichever thread needs it first. Until then it takes one word.
///
/// Not an `AtomicLazyReference`, each load of which looks up the metadata of its type and takes 100 ns.
@safe struct LazyObject<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// There is one reference from the moment the object is made to the end.
  private let reference = unsafe Atomic<Unmanaged<Object>?>(nil)

  init() {}

  deinit {
    if let object = unsafe reference.load(ordering: .acquiring) { unsafe object.release() }
  }

  /// The object, if it was made.
  var made: Object? { unsafe reference.load(ordering: .acquiring)?.takeUnretainedValue() }

  var isMade: Bool { unsafe reference.load(ordering: .relaxed) != nil }

  /// Calls `body` with the object if it was made.
  ///
  /// The object isn't retained, as threads that do that at once take turns at its reference count.
  func withMade<Result>(_ body: (Object) -> Result) -> Result? {
    unsafe reference.load(ordering: .acquiring)?._withUnsafeGuaranteedRef(body)
  }

  /// Returns the object, and makes it before if no thread has.
  func get(_ make: () -> Object) -> Object { made ?? publish(make()) }

  @inline(never)
  private func publish(_ object: Object) -> Object {
    let new = unsafe Unmanaged.passRetained(object)
    let (isFirst, current) = unsafe reference.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    guard !isFirst, let current = unsafe current else { return object }
    // Another thread was faster.
    unsafe new.release()
    return unsafe current.takeUnretainedValue()
  }
}
