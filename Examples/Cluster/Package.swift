// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let timers = Target.Dependency.product(name: "TimerScheduling", package: "TimerScheduling")

let cluster = Target.Dependency.product(name: "TimerSchedulingCluster", package: "TimerScheduling")

let contract = Target.Dependency.product(name: "TimerSchedulingClusterTesting", package: "TimerScheduling")

let package = Package(
  name: "Cluster",
  platforms: [.macOS(.v15)],
  traits: [.trait(name: "PostgreSQL", description: "The option --postgres of Replica, which needs libpq.")],
  dependencies: [
    .package(name: "TimerScheduling", path: "../.."),
    // Without its trait `Services`, it needs GRDB alone.
    .package(name: "TimerSchedulingAdapters", path: "../Adapters", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

    // A client of PostgreSQL that blocks none of Swift's threads.
    .target(name: "PostgresClient", dependencies: ["CPostgres", timers], swiftSettings: settings),
    .testTarget(
      name: "PostgresClientTests", dependencies: ["DatabaseSupport", "PostgresClient", timers],
      swiftSettings: settings),
    // Tests need a database.
    .target(
      name: "DatabaseSupport", dependencies: ["PostgresClient"], path: "Tests/DatabaseSupport",
      swiftSettings: settings),

    // The store in PostgreSQL, over this client.
    .testTarget(
      name: "ClusterStoreTests",
      dependencies: ["DatabaseSupport", "PostgresClient", timers, cluster, contract],
      swiftSettings: settings),

    // The program, and a wall clock that can be wrong.
    .target(name: "WrongClock"),
    .executableTarget(
      name: "Replica",
      dependencies: [
        "WrongClock", timers, cluster,
        .target(name: "PostgresClient", condition: .when(traits: ["PostgreSQL"])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "TimerSQLite", package: "TimerSchedulingAdapters"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], swiftSettings: settings),
    .testTarget(
      name: "ReplicaTests",
      dependencies: [
        "Replica", "WrongClock",
        .product(name: "TimerSchedulingCalendar", package: "TimerScheduling"),
      ], swiftSettings: settings),
  ]
)
