/// One driver folds facts: `UnitSet` in `Sources/LedgerModel/Units`. It alone decides whether a
/// unit's fold continues or starts again, so nothing else may call the reducer. Others extend only
/// a context of their own, with `SharedContext.add`.
struct FoldRule: TidyRule {
  /// The driver, and the reducer that it drives.
  private static let folders = ["Sources/LedgerModel/Units/", "Sources/LedgerModel/Fold/"]

  /// The functions that fold, as they are called and as they are declared. `Projector.step` in
  /// another module is something else.
  private static let calls = ["Unit.fold(", ".extend(with:"]
  private static let callsInTheModel = ["unit.step(", "state.reduce(", " fold(", "Self.fold("]
  private static let declarations = [
    "func fold(", "func advance(", "func step(", "func reduce(", "func extend(",
  ]

  func breaches(in file: SourceFile) -> [Breach] {
    guard file.isProductCode else { return [] }
    let isInTheModel = file.module == "LedgerModel"
    let isDriver = Self.folders.contains { file.path.hasPrefix($0) }
    var breaches: [Breach] = []
    for (index, line) in file.code.enumerated() {
      if !isDriver, Self.folds(line, isInTheModel) {
        breaches.append(
          Breach(path: file.path, line: index + 1, message: "facts are folded past UnitSet"))
      }
      if isInTheModel, !file.path.hasPrefix(Self.folders[0]), Self.opens(line) {
        breaches.append(
          Breach(
            path: file.path, line: index + 1, message: "other modules could fold past UnitSet"))
      }
    }
    return breaches
  }

  private static func folds(_ line: ArraySlice<UInt8>, _ isInTheModel: Bool) -> Bool {
    if calls.contains(where: { !line.offsets(of: [UInt8]($0.utf8)).isEmpty }) { return true }
    guard isInTheModel else { return false }
    if callsInTheModel.contains(where: { !line.offsets(of: [UInt8]($0.utf8)).isEmpty }) {
      return true
    }
    // Iterators have an `advance()` without arguments.
    let call = [UInt8](".advance(".utf8)
    return line.offsets(of: call).contains { offset in
      let end = offset + call.count
      return end < line.endIndex && line[end] != UInt8(ascii: ")")
    }
  }

  /// Returns whether the line declares a function that folds for other modules.
  private static func opens(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.words
    return (words.contains("public") || words.contains("package"))
      && declarations.contains { !line.offsets(of: [UInt8]($0.utf8)).isEmpty }
  }
}
