#if os(Linux) && _pointerBitWidth(_64)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Runtime {
  private typealias LoadedObject = (
    address: UInt, name: UnsafePointer<CChar>, dynamic: UnsafePointer<(tag: Int, value: UInt)>, next: UInt
  )

  /// Has the loaded objects that `isMeant` chooses by name call `replacement` for a function of another one.
  /// Returns their number.
  ///
  /// Such a call goes through a table, which the loader has filled with the addresses of functions.
  static func redirect(
    _ function: String, to replacement: UnsafeRawPointer, in isMeant: (String) -> Bool
  ) -> Int {
    // The tags of the dynamic section, and the types of relocations of x86-64 and AArch64.
    let (strings, symbols, relocations, relocationsSize, calls, callsSize) = (5, 6, 7, 8, 23, 2)
    let types: Set<UInt> = [6, 7, 1025, 1026]
    var count = 0
    var object = unsafe dlopen(nil, RTLD_LAZY).map { unsafe $0.assumingMemoryBound(to: LoadedObject.self) }
    while let loaded = unsafe object?.pointee {
      unsafe object = UnsafeMutablePointer(bitPattern: loaded.next)
      let name = unsafe String(cString: loaded.name)
      if name.contains("vdso") || !isMeant(name) { continue }
      var values: [Int: UInt] = [:]
      var entry = unsafe loaded.dynamic
      while unsafe entry.pointee.tag != 0 {
        unsafe values[entry.pointee.tag] = entry.pointee.value
        unsafe entry += 1
      }
      guard let stringTable = values[strings], let symbolTable = values[symbols] else { continue }
      for (table, size) in [(relocations, relocationsSize), (calls, callsSize)] {
        guard let table = values[table], let size = values[size] else { continue }
        for place in stride(from: table, to: table + size, by: 24) {
          let (offset, info) = unsafe UnsafePointer<(UInt, UInt)>(bitPattern: place).unsafelyUnwrapped.pointee
          guard types.contains(info & 0xFFFF_FFFF) else { continue }
          let symbol = unsafe UnsafePointer<UInt32>(bitPattern: symbolTable + (info >> 32) * 24)
          let symbolName = unsafe UnsafePointer<CChar>(
            bitPattern: stringTable + UInt(unsafe symbol.unsafelyUnwrapped.pointee))
          guard unsafe strcmp(symbolName.unsafelyUnwrapped, function) == 0 else { continue }
          let slot = unsafe UnsafeMutablePointer<UnsafeRawPointer>(bitPattern: loaded.address + offset)
          // The loader may have made the table read-only.
          let page = UInt(getpagesize())
          let start = unsafe UnsafeMutableRawPointer(bitPattern: (loaded.address + offset) / page * page)
          unsafe mprotect(start, Int(page), PROT_READ | PROT_WRITE)
          unsafe slot.unsafelyUnwrapped.pointee = replacement
          count += 1
        }
      }
    }
    return count
  }
}
#endif
