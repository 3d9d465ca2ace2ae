/// Holds the lifelines of drivers while they have timers.
///
/// When the holder releases a lifeline, the driver's timers live on only while its scheduler or one of their handles
/// is held.
package protocol LifelineHolder: AnyObject, Sendable {
  /// Holds the lifeline of a driver that now has a timer.
  func hold(_ lifeline: any AnyObject & Sendable)

  /// Releases the lifeline of a driver that has no timers. The caller holds the lifeline.
  func release(_ lifeline: any AnyObject & Sendable)
}
