import Dispatch

private let key: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// Whether the calling thread runs a block of the main queue. On Linux, that isn't always the main thread.
package func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: key) == true }
