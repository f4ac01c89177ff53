import Foundation

/// A value that one thread at a time may touch. `Mutex` needs iOS 18.
final class Locked<Value>: @unchecked Sendable {
  // Sound: the value is read and written only while the lock is held.
  private var value: Value
  private let lock = NSLock()

  init(_ value: Value) { self.value = value }

  func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
