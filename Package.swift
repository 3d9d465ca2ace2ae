// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let examples = ["Heartbeat", "Countdown", "OwnedTimer", "PauseResume", "ManyTimers"].map { name in
  Target.executableTarget(
    name: name, dependencies: ["TimerScheduling"], path: "Examples/\(name)", swiftSettings: settings)
}

// The test targets and files in which no threads race. `.ci/run` names them, and builds the others for the thread
// sanitizer.
let leftOut = Context.environment["TIMER_TESTS_LEFT_OUT"]?.split(separator: "\n").map(String.init) ?? []

let tests = [
  "TimerSchedulingTests", "TimerSchedulingTestingTests", "TimerSchedulingCalendarTests",
  "TimerSchedulingClusterTests",
  "SimulationTests",
].filter { !leftOut.contains($0) }.map { name in
  Target.testTarget(
    name: name,
    dependencies: [
      "TimerScheduling", "TimerSchedulingTesting", "TimerSchedulingCalendar", "TimerSchedulingCluster",
      "TestSupport",
    ],
    exclude: leftOut.filter { $0.hasPrefix(name + "/") }.map { String($0.dropFirst(name.count + 1)) },
    swiftSettings: settings)
}

let package = Package(
  name: "TimerScheduling",
  // The first releases with Mutex, Atomic and checkIsolated.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "TimerScheduling", targets: ["TimerScheduling"]),
    .library(name: "TimerSchedulingTesting", targets: ["TimerSchedulingTesting"]),
    .library(name: "TimerSchedulingCalendar", targets: ["TimerSchedulingCalendar"]),
    .library(name: "TimerSchedulingCluster", targets: ["TimerSchedulingCluster"]),
  ],
  targets: [
    .target(name: "TimerScheduling", swiftSettings: settings),
    .target(
      name: "TimerSchedulingTesting", dependencies: ["TimerScheduling", "TimerSchedulingCluster"],
      swiftSettings: settings),
    .target(name: "TimerSchedulingCalendar", dependencies: ["TimerScheduling"], swiftSettings: settings),
    .target(
      name: "TimerSchedulingCluster", dependencies: ["TimerScheduling", "TimerSchedulingCalendar"],
      swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["TimerScheduling", "TimerSchedulingTesting"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
  ] + tests + examples
)
