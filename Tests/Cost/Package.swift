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
  name: "Cost",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TimerScheduling", path: "../..")],
  targets: [
    .executableTarget(
      name: "Cost", dependencies: [.product(name: "TimerScheduling", package: "TimerScheduling")],
      swiftSettings: settings)
  ]
)
