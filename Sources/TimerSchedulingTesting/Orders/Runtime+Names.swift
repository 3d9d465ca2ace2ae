#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The names of functions and types, for the steps of an order.
extension Runtime {
  private typealias Backtrace = @convention(c) (UnsafeMutablePointer<UInt>, CInt) -> CInt
  private typealias FindObject = @convention(c) (UInt, UnsafeMutableRawPointer) -> CInt
  private typealias Demangle =
    @convention(c) (
      UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
    ) -> UnsafeMutablePointer<CChar>?

  private static let backtrace: Backtrace? = unsafe function("backtrace")
  private static let findObject: FindObject? = unsafe function("dladdr")
  private static let demangle: Demangle? = unsafe function("swift_demangle")

  /// Returns the addresses of the code that has called this, the innermost first.
  static func callers() -> [UInt] {
    unsafe [UInt](unsafeUninitializedCapacity: 32) { buffer, count in
      count = unsafe buffer.baseAddress.flatMap { unsafe backtrace?($0, 32) }.map { Int($0) } ?? 0
    }
  }

  /// Returns the name of the user's function with the code at an address. Nil for other code.
  static func userFunction(at address: UInt) -> String? {
    guard let symbol = symbol(at: address),
      let text = unsafe demangle?(symbol, symbol.utf8.count, nil, nil, 0)
    else {
      return nil
    }
    defer { unsafe free(text) }
    return unsafe shortened(String(cString: text))
  }

  /// Takes the modules, the signatures and the runtime's parts out of a function's name. Nil for functions of
  /// the compiler, of Swift's library and of the kit.
  private static func shortened(_ name: String) -> String? {
    if name.contains("thunk") || name.contains("partial apply") { return nil }
    let name = name.split(separator: "partial function for ").last.map(String.init) ?? name
    let plain = name.replacing(/\(extension in \w+\):/, with: "").replacing(/\((\w+) in _\w+\)/) { $0.1 }
    var parts = plain.split(separator: " in ").map { part in
      part.prefix { !"(@<".contains($0) }.split(separator: " ").joined(separator: " ")
    }
    guard let function = parts.popLast()?.split(separator: ".").map(String.init), function.count > 1 else {
      return nil
    }
    if ["Swift", "TimerSchedulingTesting"].contains(function[0].split(separator: " ").last) { return nil }
    return (parts + [function.dropFirst().suffix(2).joined(separator: ".")]).joined(separator: " in ")
  }

  // MARK: Symbols

  /// A symbol in an ELF file.
  private struct Symbol {
    let name: UInt32
    let info, other: UInt8
    let section: UInt16
    let value, size: UInt
  }

  /// Returns the symbol of the function with the code at an address. Nil if the file that has it names no
  /// such function.
  ///
  /// The file's table has functions that the loader doesn't know, as those of a program.
  private static func symbol(at address: UInt) -> String? {
    #if os(Linux) && _pointerBitWidth(_64)
    var object: (file: UnsafePointer<CChar>?, base: UInt, UInt, UInt) = (nil, 0, 0, 0)
    guard address != 0, let found = unsafe findObject?(address, &object), found != 0,
      let name = unsafe object.file
    else { return nil }
    let file = unsafe open(name, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    guard size > 64, let memory = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0),
      unsafe memory != MAP_FAILED
    else { return nil }
    defer { unsafe munmap(memory, size) }
    let offset = unsafe address - object.base
    // The fields of ELF's header, and of the headers of sections.
    func field<Field: FixedWidthInteger>(_ place: UInt64, as type: Field.Type) -> UInt64 {
      UInt64(unsafe memory.loadUnaligned(fromByteOffset: Int(place), as: type))
    }
    let (sections, width) = (field(40, as: UInt64.self), field(58, as: UInt16.self))
    let symbolTable: UInt32 = 2
    for number in 0..<field(60, as: UInt16.self) {
      let section = sections + number * width
      guard field(section + 4, as: UInt32.self) == symbolTable else { continue }
      let (start, length) = (field(section + 24, as: UInt64.self), field(section + 32, as: UInt64.self))
      let names = field(sections + field(section + 40, as: UInt32.self) * width + 24, as: UInt64.self)
      var symbol = unsafe (memory + Int(start)).assumingMemoryBound(to: Symbol.self)
      let end = unsafe symbol + Int(length) / 24
      while unsafe symbol < end {
        let found = unsafe symbol.pointee
        unsafe symbol += 1
        guard found.value <= offset, offset - found.value < found.size, found.info & 15 == 2 else { continue }
        let text = unsafe memory + Int(names) + Int(found.name)
        return unsafe String(cString: text.assumingMemoryBound(to: CChar.self))
      }
    }
    #endif
    return nil
  }
}
