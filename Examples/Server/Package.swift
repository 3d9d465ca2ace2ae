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
  static let cluster = product(name: "TimerSchedulingCluster", package: "TimerScheduling")
  static let virtualTime = product(name: "TimerSchedulingTesting", package: "TimerScheduling")

  static let observing = product(name: "TimerObserving", package: "TimerSchedulingAdapters")
  static let timerLogging = product(name: "TimerLogging", package: "TimerSchedulingAdapters")
  static let timerMetrics = product(name: "TimerMetrics", package: "TimerSchedulingAdapters")
  static let timerTracing = product(name: "TimerTracing", package: "TimerSchedulingAdapters")
  static let timerLifecycle = product(name: "TimerLifecycle", package: "TimerSchedulingAdapters")
  static let operatorPage = product(name: "TimerOperatorPage", package: "TimerSchedulingAdapters")

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
  static let nio = product(name: "NIOCore", package: "swift-nio")
  static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
  static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
  static let tracing = product(name: "Tracing", package: "swift-distributed-tracing")
  static let tracingTesting = product(name: "InMemoryTracing", package: "swift-distributed-tracing")
  static let signals = product(name: "UnixSignals", package: "swift-service-lifecycle")
}

let package = Package(
  name: "Server",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "TimerScheduling", path: "../.."),
    .package(name: "TimerSchedulingAdapters", path: "../Adapters"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.33.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // A backend for swift-metrics that answers a scrape in Prometheus' text format.
    .target(name: "PrometheusRegistry", dependencies: [.metrics], swiftSettings: settings),
    .testTarget(
      name: "PrometheusRegistryTests", dependencies: ["PrometheusRegistry", .metrics], swiftSettings: settings
    ),

    // The service, and the command that starts it.
    .target(
      name: "ServerApp",
      dependencies: [
        "PrometheusRegistry", .timers, .calendar, .cluster, .observing, .timerLogging, .timerMetrics,
        .timerTracing,
        .timerLifecycle, .operatorPage, .http, .hummingbird, .hummingbirdCore, .lifecycle, .logging, .metrics,
        .nio,
        .nioHTTPTypes, .signals,
      ], swiftSettings: settings),
    .testTarget(
      name: "ServerAppTests",
      dependencies: [
        "PrometheusRegistry", "ServerApp", .operatorPage, .timerLifecycle, .timers, .cluster, .virtualTime,
        .http,
        .hummingbird,
        .hummingbirdTesting, .lifecycle, .lifecycleTesting, .logging, .loggingTesting, .nio, .nioEmbedded,
        .nioHTTPTypes, .signals, .tracing, .tracingTesting,
      ], swiftSettings: settings),
    .executableTarget(
      name: "Server",
      dependencies: [
        "PrometheusRegistry", "ServerApp", .operatorPage, .timers, .arguments, .logging, .metrics,
      ],
      swiftSettings: settings),
    .testTarget(name: "ServerTests", dependencies: ["Server", .arguments], swiftSettings: settings),
  ]
)
