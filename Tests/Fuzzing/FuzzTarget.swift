import Foundation

/// What is fuzzed. The environment says which, as `FUZZ_TARGET=wheel`.
enum FuzzTarget: String, CaseIterable {
  case conversions, countdowns, grids, schedules, timers, wheel

  static let chosen = ProcessInfo.processInfo.environment["FUZZ_TARGET"].flatMap(FuzzTarget.init)

  func run(_ input: inout FuzzInput) {
    switch self {
    case .conversions: fuzzConversions(&input)
    case .countdowns: fuzzCountdowns(&input)
    case .grids: fuzzGrids(&input)
    case .schedules: fuzzSchedules(&input)
    case .timers: fuzzTimers(&input)
    case .wheel: fuzzWheel(&input)
    }
  }
}

/// What libFuzzer calls with each input. Returning anything but zero would keep an input out of the corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let target = FuzzTarget.chosen else {
    fatalError("FUZZ_TARGET must be one of \(FuzzTarget.allCases.map(\.rawValue)).")
  }
  var input = unsafe FuzzInput(Array(UnsafeBufferPointer(start: bytes, count: count)))
  target.run(&input)
  return 0
}
