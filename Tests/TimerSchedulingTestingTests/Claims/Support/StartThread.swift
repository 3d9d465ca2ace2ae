import Foundation

/// Runs `body` on a thread of its own, which belongs to no test.
func startThread(_ body: @escaping @Sendable () -> Void) { Thread.detachNewThread(body) }
