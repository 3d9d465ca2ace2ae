/// Holds what keeps the timers of drivers alive, while there are timers.
///
/// When the holder is emptied, the timers of a driver live on only while its scheduler or one of their handles is held.
package protocol LifelineHolder: AnyObject, Sendable {
  /// Holds the lifeline of a driver, which has a timer now.
  func hold(_ lifeline: any AnyObject & Sendable)

  /// Releases the lifeline of a driver, which has no timers. The caller holds it.
  func release(_ lifeline: any AnyObject & Sendable)
}
