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
  static let contract = product(name: "TimerSchedulingClusterTesting", package: "TimerScheduling")

  static let grdb = product(name: "GRDB", package: "GRDB.swift")
  static let sqlite = product(name: "GRDBSQLite", package: "GRDB.swift")
  static let http = service(name: "HTTPTypes", package: "swift-http-types")
  static let hummingbird = service(name: "Hummingbird", package: "hummingbird")
  static let hummingbirdTesting = service(name: "HummingbirdTesting", package: "hummingbird")
  static let lifecycle = service(name: "ServiceLifecycle", package: "swift-service-lifecycle")
  static let lifecycleTesting = service(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")
  static let logging = service(name: "Logging", package: "swift-log")
  static let loggingTesting = service(name: "InMemoryLogging", package: "swift-log")
  static let metrics = service(name: "Metrics", package: "swift-metrics")
  static let metricsTesting = service(name: "MetricsTestKit", package: "swift-metrics")
  static let nio = service(name: "NIOCore", package: "swift-nio")
  static let tracing = service(name: "Tracing", package: "swift-distributed-tracing")
  static let tracingTesting = service(name: "InMemoryTracing", package: "swift-distributed-tracing")

  /// A product that isn't resolved without the trait.
  private static func service(name: String, package: String) -> Self {
    product(name: name, package: package, condition: .when(traits: ["Services"]))
  }
}

let package = Package(
  name: "TimerSchedulingAdapters",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "TimerObserving", targets: ["TimerObserving"]),
    .library(name: "TimerLogging", targets: ["TimerLogging"]),
    .library(name: "TimerMetrics", targets: ["TimerMetrics"]),
    .library(name: "TimerTracing", targets: ["TimerTracing"]),
    .library(name: "TimerLifecycle", targets: ["TimerLifecycle"]),
    .library(name: "TimerOperatorPage", targets: ["TimerOperatorPage"]),
    .library(name: "TimerSQLite", targets: ["TimerSQLite"]),
  ],
  traits: [
    .trait(name: "Services", description: "All libraries but TimerObserving and TimerSQLite."),
    .default(enabledTraits: ["Services"]),
  ],
  dependencies: [
    .package(name: "TimerScheduling", path: "../.."),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // Several observers and interceptors for one scheduler.
    .target(name: "TimerObserving", dependencies: [.timers], swiftSettings: settings),

    // A scheduler's events and the runs of its actions, in swift-log.
    .target(
      name: "TimerLogging", dependencies: ["TimerObserving", .timers, .cluster, .logging],
      swiftSettings: settings),

    // A scheduler's events and statistics, and a cluster's backlogs, in swift-metrics.
    .target(
      name: "TimerMetrics", dependencies: ["TimerObserving", .timers, .cluster, .metrics],
      swiftSettings: settings),

    // A span for each run of an action, in swift-distributed-tracing.
    .target(
      name: "TimerTracing", dependencies: ["TimerObserving", .timers, .cluster, .tracing],
      swiftSettings: settings),

    // A scheduler as a service of swift-service-lifecycle.
    .target(name: "TimerLifecycle", dependencies: [.timers, .lifecycle], swiftSettings: settings),

    .testTarget(
      name: "AdapterTests",
      dependencies: [
        "TimerLifecycle", "TimerLogging", "TimerMetrics", "TimerObserving", "TimerTracing",
        .timers, .cluster, .virtualTime, .lifecycle, .logging, .loggingTesting, .metrics, .metricsTesting,
        .tracing, .tracingTesting,
      ], swiftSettings: settings),

    // A cluster's store in a file of SQLite, over GRDB.
    .target(name: "TimerSQLite", dependencies: [.timers, .cluster, .grdb], swiftSettings: settings),
    .testTarget(
      name: "TimerSQLiteTests",
      dependencies: ["TimerSQLite", .timers, .cluster, .contract, .virtualTime, .grdb, .sqlite],
      swiftSettings: settings),

    // A page on which operators see and control a scheduler's timers, for Hummingbird.
    .target(
      name: "TimerOperatorPage",
      dependencies: [
        "TimerLogging", "TimerObserving", .timers, .calendar, .cluster, .http, .hummingbird, .lifecycle,
        .logging,
        .metrics, .nio,
      ],
      resources: [
        .embedInCode("Assets/page.css"), .embedInCode("Assets/views.css"), .embedInCode("Assets/page.js"),
        .embedInCode("Assets/time.js"), .embedInCode("Assets/ask.js"), .embedInCode("Assets/work.js"),
        .embedInCode("Assets/jobs.js"),
      ], swiftSettings: settings),
    // Many timers and the page, to try it, and to measure it.
    .executableTarget(
      name: "PageDemo",
      dependencies: [
        "TimerLifecycle", "TimerOperatorPage", "TimerSQLite", .timers, .cluster, .hummingbird, .lifecycle,
        .logging,
      ],
      swiftSettings: settings),
    .testTarget(
      name: "TimerOperatorPageTests",
      dependencies: [
        "TimerOperatorPage", .timers, .calendar, .cluster, .virtualTime, .http, .hummingbird,
        .hummingbirdTesting,
        .lifecycleTesting, .logging, .loggingTesting, .metrics, .metricsTesting, .nio,
      ], swiftSettings: settings),
  ]
)
