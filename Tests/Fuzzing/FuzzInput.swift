import Foundation

/// Reads numbers from the bytes the fuzzer has made, and zeros after their end.
///
/// Evenly spread numbers are nearly always enormous, so most are read with a chosen number of bits.
struct FuzzInput {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isEmpty: Bool { bytes.isEmpty }

  /// All bytes that are left.
  mutating func rest() -> [UInt8] {
    defer { bytes = [] }
    return Array(bytes)
  }

  // MARK: Numbers

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  mutating func bool() -> Bool { byte() & 1 == 1 }

  /// A number from zero to below `count`, which is at most 256.
  mutating func number(below count: Int) -> Int { Int(byte()) % count }

  mutating func bits() -> UInt64 {
    (0..<8).reduce(0) { bits, _ in bits << 8 | UInt64(byte()) }
  }

  /// Any number, the ends and their neighbors more often than others.
  mutating func int64() -> Int64 {
    let few = Int64(Int8(bitPattern: byte()))
    return switch number(below: 8) {
    case 0: few
    case 1: few < 0 ? .max + few + 1 : .min + few
    case 2: Int64(bitPattern: bits())
    default: few < 0 ? -magnitude() : magnitude()
    }
  }

  /// A number that isn't negative, of any size.
  mutating func magnitude() -> Int64 {
    Int64(bits() >> UInt64(1 + number(below: 63)))
  }

  mutating func double() -> Double {
    switch number(below: 4) {
    case 0: Double(bitPattern: bits())
    case 1: Double(int64())
    case 2: Double(int64()) / 1e9
    default: Double(Int8(bitPattern: byte())) / 4
    }
  }

  // MARK: Times

  mutating func interval() -> Interval { Interval(nanoseconds: int64()) }

  mutating func deadline() -> Deadline { Deadline(nanoseconds: int64()) }

  /// Any duration, also of more seconds than an Int64 holds.
  mutating func duration() -> Duration {
    switch number(below: 4) {
    case 0: .nanoseconds(int64())
    case 1: Duration(secondsComponent: int64(), attosecondsComponent: Int64(byte()) << 52)
    case 2: Duration(attoseconds: Int128(int64()))
    default: Duration(attoseconds: Int128(int64()) << 64 | Int128(bits()))
    }
  }

  /// A duration that isn't negative, as modifiers ask for.
  mutating func span() -> Duration { max(duration(), .zero) }

  /// Any date except NaN, which violates a precondition.
  mutating func date() -> Date {
    let seconds = double()
    return Date(timeIntervalSinceReferenceDate: seconds.isNaN ? 0 : seconds)
  }
}

/// Stops the process with a message when a requirement isn't met, so that the fuzzer keeps the input.
func require(
  _ condition: Bool, _ fault: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line
) {
  if !condition { fatalError(fault(), file: file, line: line) }
}

/// Prints the operations of a replayed input.
func trace(_ step: @autoclosure () -> String) {
  // Standard output would be lost in a crash.
  if isTraced { FileHandle.standardError.write(Data((step() + "\n").utf8)) }
}

private let isTraced = ProcessInfo.processInfo.environment["FUZZ_TRACE"] != nil
