/// Holds schedulers that have timers.
///
/// When the holder is emptied, a scheduler lives on only while other references to it or to its timers' handles exist.
package protocol SchedulerHolder: AnyObject, Sendable {
  /// Holds a scheduler, which has a timer now.
  func hold(_ scheduler: any AnyObject & Sendable)

  /// Releases a scheduler, which has no timers. The caller holds it.
  func release(_ scheduler: any AnyObject & Sendable)
}
