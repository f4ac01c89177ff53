import Foundation
import SignedStoreData
import StorePull

/// Files that users name.
enum InputFile {
  /// - Throws: ``PullError``: `daybook` with exit code 66 if it cannot be read, `badFile` if it
  ///   is larger than any answer.
  static func bytes(of file: String) throws(PullError) -> [UInt8] {
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      bytes = [UInt8](try handle.read(upToCount: PullFolder.answerBytesMax + 1) ?? Data())
    } catch {
      throw PullError(.daybook(66), "cannot be read: \(error.localizedDescription)")
    }
    guard bytes.count <= PullFolder.answerBytesMax else {
      throw PullError(.badFile, "has more than \(PullFolder.answerBytesMax) bytes")
    }
    return bytes
  }
}

extension TrustedRoots {
  /// The roots in files; Apple's if there are none.
  static func named(_ files: [String]) throws(PullError) -> TrustedRoots {
    guard !files.isEmpty else { return .apple }
    var certificates: [[UInt8]] = []
    for file in files {
      do throws(PullError) {
        let bytes = try InputFile.bytes(of: file)
        do throws(SignedDataError) {
          certificates += try TrustedRoots(file: bytes).encoded
        } catch { throw PullError(.badFile, error.description) }
      } catch { throw PullError(error.kind, "\(file): \(error.message)") }
    }
    do throws(SignedDataError) { return try TrustedRoots(der: certificates) } catch {
      throw PullError(.badFile, error.description)
    }
  }
}
