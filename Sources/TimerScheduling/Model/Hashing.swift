/// Numbers that look random, and are the same in every process.
extension UInt64 {
  /// Creates the hash by which timers are spread: FNV-1a by Fowler, Noll and Vo, mixed. It must never change.
  init(hashOf text: String) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self = hash.mixed
  }

  /// The number, mixed by the last steps of SplitMix64 (Steele, Lea and Flood, 2014), which are a bijection.
  package var mixed: UInt64 {
    var bits = (self ^ (self >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// Returns a number below `bound`, or zero if that is zero. This is Lemire's reduction without rejections.
  func scaled(below bound: UInt64) -> UInt64 { multipliedFullWidth(by: bound).high }
}
