import Synchronization

protocol StripeContent: Sendable {
  init()
}

/// A table in stripes, each with a lock of its own, so that threads seldom contend. They are created at first need.
struct Striped<Content: StripeContent>: ~Copyable, Sendable {
  private final class Stripe: Sendable {
    /// Guards the content of this stripe.
    let content = Lock(Content())
  }

  private final class Stripes: Sendable { let all = (0..<16).map { _ in Stripe() } }

  private let stripes = LazyObject<Stripes>()

  func withStripe<Result: ~Copyable>(
    ofKey key: Int, _ body: (inout sending Content) -> sending Result
  ) -> sending Result {
    // Addresses differ in few of their bits.
    let number = Int(UInt64(UInt(bitPattern: key)).mixed >> 60)
    return stripes.get(Stripes.init).all[number].content.withLock(body)
  }

  func forEachStripe(_ body: (borrowing Lock<Content>) -> Void) {
    for stripe in stripes.made?.all ?? [] { body(stripe.content) }
  }
}

/// An object that is created at first need. It isn't an `AtomicLazyReference`, as each load of that looks up the metadata
/// of its type and takes 100 ns.
@safe struct LazyObject<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  private let reference = unsafe Atomic<Unmanaged<Object>?>(nil)

  deinit {
    if let object = unsafe reference.load(ordering: .acquiring) { unsafe object.release() }
  }

  var made: Object? { unsafe reference.load(ordering: .acquiring)?.takeUnretainedValue() }

  var isMade: Bool { unsafe reference.load(ordering: .relaxed) != nil }

  /// Calls `body` with the object if it was created, without retaining it: threads that retain an object concurrently
  /// contend for its reference count.
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
