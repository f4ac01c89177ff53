import Foundation
import LedgerEvents
import LedgerQueries

extension ExchangeRates {
  /// An example of the file, for messages.
  private static let example =
    #"{"currency":"EUR","rates":[{"currency":"USD","rate":"0.92","since":"2026-01-01"}]}"#

  /// Reads a file of exchange rates.
  ///
  /// - Throws: `InputProblem`: exit 66 if there is no such file; 65, with the location in the file,
  ///   if it is invalid.
  init(file: String) throws {
    let handle = try FileHandle(readingInput: file, as: "a file of exchange rates")
    let bytes: [UInt8]
    do { bytes = Array(try handle.readToEnd() ?? Data()) } catch {
      throw InputProblem(
        "\(file) cannot be read: \(error.systemReason)", exitCode: ExitStatus.inputOutput)
    }
    let written: Written
    do { written = try JSONDecoder().decode(Written.self, from: Data(bytes)) } catch {
      throw InputProblem("\(file): expected exchange rates, such as \(Self.example)")
    }
    guard !written.rates.isEmpty else { throw InputProblem("\(file): rates: it names no rate") }
    var rates: [Rate] = []
    for (index, entry) in written.rates.enumerated() {
      let path = "\(file): rates[\(index)]"
      guard let rate = ExactDecimal(entry.rate), rate.millionths.map({ $0 > 0 }) ?? true else {
        throw InputProblem(
          "\(path).rate: expected a decimal number as text, such as \"0.92\", found "
            + "\"\(entry.rate.printable)\"")
      }
      var since: Instant?
      if let text = entry.since {
        // With a time relative to now, the sums would be different tomorrow.
        guard text.contains("-") else {
          throw InputProblem("\(path).since: expected a date, such as 2026-01-01, or a time")
        }
        do { since = try Parse.instant(text) } catch {
          throw InputProblem("\(path).since: expected a date, such as 2026-01-01, or a time")
        }
      }
      rates.append(Rate(currency: Name(entry.currency), rate: rate, since: since))
    }
    self.init(into: Name(written.currency), rates)
  }

  private struct Written: Decodable {
    let currency: String
    let rates: [Entry]

    struct Entry: Decodable {
      let currency: String
      let rate: String
      let since: String?
    }
  }
}
