/// An object that a C library keeps for a callback.
enum CallbackData {
  /// Returns the pointer for the library, which keeps the object until ``release(_:)``.
  static func retain(_ object: AnyObject) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passRetained(object).toOpaque()
  }

  static func object<Object: AnyObject>(_ data: UnsafeMutableRawPointer?) -> Object {
    guard let data = unsafe data else { preconditionFailure("The timer was given no object.") }
    return unsafe Unmanaged<Object>.fromOpaque(data).takeUnretainedValue()
  }

  static func release(_ data: UnsafeMutableRawPointer?) {
    if let data = unsafe data { unsafe Unmanaged<AnyObject>.fromOpaque(data).release() }
  }
}
