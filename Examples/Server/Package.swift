// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

extension Target.Dependency {
  static let timers = product(name: "TimerScheduling", package: "TimerScheduling")
  static let calendar = product(name: "TimerSchedulingCalendar", package: "TimerScheduling")
  static let virtualTime = product(name: "TimerSchedulingTesting", package: "TimerScheduling")

  static let arguments = product(name: "ArgumentParser", package: "swift-argument-parser")
  static let http = product(name: "HTTPTypes", package: "swift-http-types")
  static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
  static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
  static let hummingbirdTesting = product(name: "HummingbirdTesting", package: "hummingbird")
  static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
  static let lifecycleTesting = product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")
  static let logging = product(name: "Logging", package: "swift-log")
  static let loggingTesting = product(name: "InMemoryLogging", package: "swift-log")
  static let metrics = product(name: "Metrics", package: "swift-metrics")
  static let metricsTesting = product(name: "MetricsTestKit", package: "swift-metrics")
  static let nio = product(name: "NIOCore", package: "swift-nio")
  static let tracing = product(name: "Tracing", package: "swift-distributed-tracing")
  static let tracingTesting = product(name: "InMemoryTracing", package: "swift-distributed-tracing")
}

let package = Package(
  name: "Server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "TimerScheduling", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // What connects a scheduler with swift-log, swift-metrics and swift-distributed-tracing.
    .target(
      name: "TimerAdapters", dependencies: [.timers, .logging, .metrics, .tracing], swiftSettings: settings),
    .testTarget(
      name: "TimerAdaptersTests",
      dependencies: [
        "TimerAdapters", .timers, .virtualTime, .logging, .loggingTesting, .metrics, .metricsTesting,
        .tracing,
        .tracingTesting,
      ], swiftSettings: settings),

    // A backend for swift-metrics that answers a scrape in Prometheus' text format.
    .target(name: "PrometheusRegistry", dependencies: [.metrics], swiftSettings: settings),
    .testTarget(
      name: "PrometheusRegistryTests", dependencies: ["PrometheusRegistry", .metrics], swiftSettings: settings
    ),

    // A page on which operators see and control a scheduler's timers.
    .target(
      name: "OperatorPage", dependencies: [.timers, .http, .hummingbird, .lifecycle, .nio],
      resources: [.embedInCode("Assets/page.css"), .embedInCode("Assets/page.js")], swiftSettings: settings),
    .testTarget(
      name: "OperatorPageTests",
      dependencies: [
        "OperatorPage", .timers, .virtualTime, .http, .hummingbird, .hummingbirdTesting, .lifecycleTesting,
        .nio,
      ],
      swiftSettings: settings),

    // The service, and the command that starts it.
    .target(
      name: "ServerApp",
      dependencies: [
        "OperatorPage", "PrometheusRegistry", "TimerAdapters", .timers, .calendar, .hummingbird,
        .hummingbirdCore,
        .lifecycle,
        .logging, .metrics,
      ], swiftSettings: settings),
    .testTarget(
      name: "ServerAppTests",
      dependencies: [
        "PrometheusRegistry", "ServerApp", .timers, .virtualTime, .http, .hummingbird, .hummingbirdTesting,
        .lifecycle, .lifecycleTesting,
        .logging,
      ], swiftSettings: settings),
    .executableTarget(
      name: "Server",
      dependencies: ["PrometheusRegistry", "ServerApp", .timers, .arguments, .logging, .metrics],
      swiftSettings: settings),
    .testTarget(name: "ServerTests", dependencies: ["Server", .arguments], swiftSettings: settings),
  ]
)
