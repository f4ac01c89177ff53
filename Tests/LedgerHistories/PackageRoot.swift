public import Foundation

/// Returns the folder of the package to which a source file belongs.
///
/// - Parameter file: A file in the package, below the folder with `Package.swift`.
public func packageRoot(of file: String = #filePath) -> URL? {
  var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
  while folder.path != "/" {
    let manifest = folder.appendingPathComponent("Package.swift").path
    if FileManager.default.fileExists(atPath: manifest) { return folder }
    folder = folder.deletingLastPathComponent()
  }
  return nil
}
