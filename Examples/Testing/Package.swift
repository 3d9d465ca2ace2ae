// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Testing",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TimerScheduling", path: "../..")],
  targets: [
    .target(
      name: "TestedCode", dependencies: [.product(name: "TimerScheduling", package: "TimerScheduling")]),
    .testTarget(
      name: "TestedCodeTests",
      dependencies: ["TestedCode", .product(name: "TimerSchedulingTesting", package: "TimerScheduling")]),
    .testTarget(
      name: "MainActorByDefaultTests",
      dependencies: [
        .product(name: "TimerScheduling", package: "TimerScheduling"),
        .product(name: "TimerSchedulingTesting", package: "TimerScheduling"),
      ],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ]
)
