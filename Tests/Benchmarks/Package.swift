// swift-tools-version: 6.3

import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A peer that is a system library takes part where its header is installed.
struct SystemLibrary {
  var target: String
  var header: String
  var package: String

  var isInstalled: Bool {
    ["/usr/include", "/usr/local/include"].contains {
      FileManager.default.fileExists(atPath: "\($0)/\(header)")
    }
  }
}

let systemLibraries = [
  SystemLibrary(target: "CLibuv", header: "uv.h", package: "libuv1-dev"),
  SystemLibrary(target: "CLibev", header: "ev.h", package: "libev-dev"),
].filter(\.isInstalled)

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "benchmarks", targets: ["Comparison"])],
  dependencies: [
    .package(name: "TimerScheduling", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    // Without traits, it counts neither allocations nor retains.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "Comparison",
      dependencies: [
        .product(name: "TimerScheduling", package: "TimerScheduling"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        "CLinux",
      ] + systemLibraries.map { .target(name: $0.target) },
      swiftSettings: settings),
    .executableTarget(
      name: "Micro",
      dependencies: [
        .product(name: "Benchmark", package: "benchmark"),
        .product(name: "TimerScheduling", package: "TimerScheduling"),
      ],
      path: "Benchmarks/Micro",
      swiftSettings: settings,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .systemLibrary(name: "CLinux"),
  ]
    + systemLibraries.map { .systemLibrary(name: $0.target, providers: [.apt([$0.package])]) }
)
