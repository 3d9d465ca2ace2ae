// swift-tools-version: 6.3

import Foundation
import PackageDescription

let package = Package(
  name: "VirtualSpeed",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(
      name: "TimerScheduling", path: ProcessInfo.processInfo.environment["TIMER_SCHEDULING"] ?? "../..")
  ],
  targets: [
    .executableTarget(
      name: "VirtualSpeed",
      dependencies: [
        .product(name: "TimerScheduling", package: "TimerScheduling"),
        .product(name: "TimerSchedulingTesting", package: "TimerScheduling"),
      ])
  ])
