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

func tests(_ name: String, of libraries: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: libraries + ["TestSupport"], swiftSettings: settings)
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
    .library(name: "TimerSchedulingClusterTesting", targets: ["TimerSchedulingClusterTesting"]),
  ],
  targets: [
    .target(name: "TimerSchedulingFoundation", swiftSettings: settings),
    .target(name: "TimerScheduling", dependencies: ["TimerSchedulingFoundation"], swiftSettings: settings),
    .target(
      name: "TimerSchedulingTesting", dependencies: ["TimerScheduling", "TimerSchedulingFoundation"],
      swiftSettings: settings),
    .target(name: "TimerSchedulingCalendar", dependencies: ["TimerScheduling"], swiftSettings: settings),
    .target(
      name: "TimerSchedulingCluster",
      dependencies: ["TimerScheduling", "TimerSchedulingCalendar", "TimerSchedulingFoundation"],
      swiftSettings: settings),
    .target(
      name: "TimerSchedulingClusterTesting",
      dependencies: ["TimerScheduling", "TimerSchedulingCluster", "TimerSchedulingFoundation"],
      swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["TimerScheduling", "TimerSchedulingTesting"],
      path: "Tests/TestSupport",
      swiftSettings: settings),

    tests(
      "TimerSchedulingTests", of: ["TimerScheduling", "TimerSchedulingTesting", "TimerSchedulingCalendar"]),
    tests(
      "TimerSchedulingTestingTests",
      of: ["TimerScheduling", "TimerSchedulingTesting", "TimerSchedulingCluster"]),
    tests(
      "TimerSchedulingCalendarTests",
      of: ["TimerScheduling", "TimerSchedulingTesting", "TimerSchedulingCalendar"]),
    tests(
      "TimerSchedulingClusterTests",
      of: [
        "TimerScheduling", "TimerSchedulingTesting", "TimerSchedulingCalendar", "TimerSchedulingCluster",
        "TimerSchedulingClusterTesting",
      ]),
    tests("SimulationTests", of: ["TimerScheduling", "TimerSchedulingTesting"]),
  ] + examples
)
