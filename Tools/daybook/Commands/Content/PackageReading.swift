import ArgumentParser
import HostedContent
import LedgerAnswers
import LedgerEvents

/// Reads a package for a command, and turns the libraries' errors into messages and exit codes.
enum PackageReading {
  /// Judges the package at a path.
  static func judge(
    _ path: String, expecting expectations: PackageExpectations = PackageExpectations()
  ) throws -> (PackageReport, PackageFormat) {
    do throws(ContentError) {
      var package = try OpenedPackage(path: path, isolation: .inChild)
      var sink = NoPackageSink()
      let report = try PackageInspection.judge(
        &package, packedBytes: package.packedBytes, expecting: expectations, into: &sink)
      return (report, package.format)
    } catch {
      throw InputProblem(error.description, exitCode: ExitStatus.code(for: error))
    }
  }
}

extension ExitStatus {
  static func code(for error: ContentError) -> ExitCode {
    switch error.code {
    case .missing: noInput
    case .malformed, .refused: badInput
    case .inputOutput, .diskFull: inputOutput
    case .exists: cannotCreate
    case .changed, .busy: tryAgain
    }
  }
}

extension PackageReport {
  /// Product, version, sizes and digest.
  func writeSummary(to json: inout JSONText) {
    json.member("product", product)
    json.member("version", version)
    json.member("bytes", bytes)
    json.member("digest", digest.description)
    json.member("valid", isValid)
  }

  /// The listed faults, and how many more there are.
  func writeFaults(to json: inout JSONText) {
    json.member("faults", each: faults) { $1.write(to: &$0) }
    json.member("faultsLeftOff", faultsLeftOff)
  }

  /// A line for each fault, for people.
  func printFaults() {
    for fault in faults {
      let path = fault.path.isEmpty ? "the package" : fault.path
      Console.print(
        "\(fault.code.rawValue): \(path) \(fault.message)".printable)
    }
    if faultsLeftOff > 0 { Console.print("and \(faultsLeftOff) more") }
  }
}

extension PackageFault {
  func write(to json: inout JSONText) {
    json.object { json in
      json.member("code", code.rawValue)
      json.member("path", path.isEmpty ? nil : path)
      json.member("message", message)
    }
  }
}

extension PackageFile {
  func write(to json: inout JSONText) {
    json.object { json in
      json.member("path", path)
      switch content {
      case .file(let bytes, let digest):
        json.member("bytes", bytes)
        json.member("digest", digest.description)
      case .link(let target):
        json.member("link", target)
      }
    }
  }
}
