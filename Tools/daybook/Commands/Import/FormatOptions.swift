import ArgumentParser
import StoreImport

/// The options that go with one format each.
struct FormatOptions: ParsableArguments {
  @Option(
    name: .customLong("shared-secret-file"),
    help: ArgumentHelp(
      """
      A file with the app's shared secret, one a line where there are several: passwords of \
      notification-v1 are compared with them.
      """,
      valueName: "file"),
    completion: .file())
  var secretFile: String?

  @Option(
    name: .customLong("map"),
    help: ArgumentHelp(
      "How the rows of a csv become events: a JSON file (docs/importing-tables.md).",
      valueName: "file"),
    completion: .file())
  var mapFile: String?

  func validate(for format: ImportFormat, isUnverified: Bool) throws {
    guard (mapFile != nil) == (format == .csv) else {
      throw ValidationError(
        format == .csv
          ? "import csv needs --map FILE, which says what its columns are: see "
            + "docs/importing-tables.md."
          : "--map goes with csv: \(format.rawValue) has its own fields.")
    }
    guard secretFile != nil else { return }
    guard format == .notificationV1 else {
      throw ValidationError(
        "--shared-secret-file goes with notification-v1: \(format.rawValue) has no password.")
    }
    if isUnverified {
      throw ValidationError(
        "--shared-secret-file verifies, and --unverified does not: leave one out.")
    }
  }

  /// How rows become events; `nil` for other formats than csv.
  func tableMap() throws -> TableMap? {
    guard let mapFile else { return nil }
    let bytes = try Import.bytes(of: mapFile)
    do throws(ImportError) {
      return try TableMap(bytes, fileName: mapFile)
    } catch { throw InputProblem(error.description) }
  }

  /// What is believed of notifications of version 1.
  func passwordTrust(isUnverified: Bool) throws -> PasswordTrust {
    if isUnverified { return .unverified }
    guard let secretFile else { return .noSecret }
    let secrets = Self.secrets(in: try Import.bytes(of: secretFile))
    guard !secrets.isEmpty else {
      throw InputProblem(
        "\(secretFile) is empty: expected the app's shared secret of App Store Connect.")
    }
    return .compared(SharedSecrets(secrets))
  }

  /// Returns the lines of a file without the byte order mark and the blanks around them.
  private static func secrets(in bytes: [UInt8]) -> [[UInt8]] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    return bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
      .split { $0 == 0x0A || $0 == 0x0D }
      .map { line in Array(line.drop(while: isBlank).reversed().drop(while: isBlank).reversed()) }
      .filter { !$0.isEmpty }
  }
}
