import TimerScheduling

/// The memory of schedulers without timers.
struct IdleSchedulers {
  private static let count = 2_000

  func run() throws -> [Strain.Finding] {
    func make() -> [TimerScheduler] { (0..<Self.count).map { _ in TimerScheduler() } }
    let first = make()
    let before = try ResidentMemory.bytes
    let others = make()
    let bytes = try ResidentMemory.bytes - before
    return withExtendedLifetime((first, others)) {
      [
        Strain.Finding(
          title: "an idle scheduler", value: Double(bytes) / Double(Self.count), unit: "bytes",
          aim: "at most 8,000")
      ]
    }
  }
}
