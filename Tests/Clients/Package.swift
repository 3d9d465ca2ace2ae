// swift-tools-version: 6.3

import PackageDescription

// Programs that use the package from each of the compiler's modes. Those of Swift 5 and Swift 6 are one
// source, as is the first file of the third program.
func program(_ name: String, _ settings: [SwiftSetting]) -> Target {
  .executableTarget(
    name: name, dependencies: [.product(name: "TimerScheduling", package: "TimerScheduling")],
    swiftSettings: settings + [.treatAllWarnings(as: .error)])
}

let package = Package(
  name: "Clients",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TimerScheduling", path: "../..")],
  targets: [
    program("Swift5", [.swiftLanguageMode(.v5)]),
    program("Swift6", [.swiftLanguageMode(.v6)]),
    program("MainActorByDefault", [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]),
  ])
