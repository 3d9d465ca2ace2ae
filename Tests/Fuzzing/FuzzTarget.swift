import Foundation

/// A part of the library that is fuzzed. The environment names it, as `FUZZ_TARGET=wheel`.
enum FuzzTarget: String, CaseIterable {
  case conversions, countdowns, grids, schedules, texts, timers, wheel

  static let chosen = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap(FuzzTarget.init)

  func run(_ input: inout FuzzInput) {
    switch self {
    case .conversions: fuzzConversions(&input)
    case .countdowns: fuzzCountdowns(&input)
    case .grids: fuzzGrids(&input)
    case .schedules: fuzzSchedules(&input)
    case .texts: fuzzTexts(&input)
    case .timers: fuzzTimers(&input)
    case .wheel: fuzzWheel(&input)
    }
  }
}

/// The function that libFuzzer calls with each input. A result other than zero would keep an input out of the
/// corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let target = FuzzTarget.chosen else {
    fatalError("FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue)).")
  }
  var input = unsafe FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: count)))
  target.run(&input)
  return 0
}
