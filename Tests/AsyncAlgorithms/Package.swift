// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "AsyncAlgorithmsTests",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "TimerScheduling", path: "../.."),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
  ],
  targets: [
    .testTarget(
      name: "OperatorTests",
      dependencies: [
        "TimerScheduling",
        .product(name: "TimerSchedulingTesting", package: "TimerScheduling"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ],
      swiftSettings: settings)
  ]
)
