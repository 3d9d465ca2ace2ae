/// The object that a C library hands back to a callback, as it was given.
func object<Object: AnyObject>(_ data: UnsafeMutableRawPointer?) -> Object {
  guard let data = unsafe data else { preconditionFailure("The timer was given no object.") }
  return unsafe Unmanaged<Object>.fromOpaque(data).takeUnretainedValue()
}
