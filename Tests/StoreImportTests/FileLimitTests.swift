import Foundation
import LedgerEvents
import SignedDataSamples
import Testing

@testable import StoreImport

@Suite("A file that was made to be costly") struct FileLimitTests {
  @Test("is refused at its first value too many") func values() throws {
    let text = "[" + String(repeating: "0,", count: importValuesMax) + "0]"
    let error = try #require(signedRefusal(text, as: .transaction))
    #expect(error.code == .malformed && error.reason.contains("\(importValuesMax) values"))
    #expect(error.remedy.hasPrefix("Split the file"))
  }

  @Test("is refused at its first text too many") func texts() throws {
    let text =
      #"{"signedTransactions":["# + String(repeating: #""","#, count: importDocumentsMax)
      + #"""]}"#
    let error = try #require(signedRefusal(text, as: .history))
    #expect(error.reason.contains("\(importDocumentsMax) documents"))
  }

  @Test("is refused at its first line too many") func lines() throws {
    let text = String(repeating: "1\n", count: importLinesMax + 1)
    let error = try #require(signedRefusal(text, as: .transaction))
    #expect(error.reason.contains("\(importLinesMax) lines"))
  }
}

@Suite("A file that has to be converted first") struct OtherEncodingTests {
  @Test(
    "is refused with what it is",
    arguments: [
      ([0x1F, 0x8B, 8, 0], "gzip -dc"), ([0xFF, 0xFE, 0x7B, 0], "UTF-8"),
      ([0xFE, 0xFF, 0, 0x7B], "UTF-8"),
    ] as [([UInt8], String)])
  func encoding(_ bytes: [UInt8], _ remedy: String) throws {
    let error = try #require(
      refusal {
        _ = try SignedImport(
          bytes, as: .transaction, options: ImportOptions(fileName: "f", digestKey: digestKey),
          trust: .noApp)
      })
    #expect(error.code == .malformed && error.remedy.contains(remedy))
  }

  private func refusal(_ read: () throws -> Void) -> ImportError? {
    do { try read() } catch { return error as? ImportError }
    return nil
  }
}

@Suite("What is not what it was passed as") struct OtherKindTests {
  @Test("a signed text that nobody verifies is named") func signedText() throws {
    let payload = Data(Signed.notification("TEST").utf8).base64EncodedString()
      .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    let text = "eyJhbGciOiJFUzI1NiJ9.\(payload)." + String(repeating: "A", count: 86)
    let error = try #require(signedRefusal(text, as: .transaction, trust: .unverified))
    #expect(error.code == .otherFormat && error.remedy == "Import it as notification")
    #expect(signedRefusal(text, trust: .unverified) == nil)
  }

  @Test("an object without what identifies it is not asked for its environment first")
  func unnamed() throws {
    let text = #"{"transaction":\#(Signed.transaction())}"#
    let error = try #require(signedRefusal(text, as: .transaction))
    #expect(error.path == "transactionId" && error.reason.contains("without transactionId"))
  }

  @Test("the answer's wrapper may hold what was decoded") func wrapped() throws {
    let text = #"{"signedTransactionInfo":\#(Signed.transaction())}"#
    #expect(
      try signedEvents(text, as: .transaction).map(\.type)
        == signedEvents(Signed.transaction(), as: .transaction).map(\.type))
    let error = try #require(signedRefusal(#"{"signedTransactionInfo":5}"#, as: .transaction))
    #expect(error.path == "signedTransactionInfo" && error.reason.contains("found the number 5"))
  }

  @Test("a date of signed data is a number of milliseconds") func date() throws {
    let text = Signed.transaction(end: nil, #""expiresDate":"2026-01-01T00:00:00Z""#)
    let error = try #require(signedRefusal(text, as: .transaction))
    #expect(error.reason.contains("expected milliseconds since 1970"))
  }
}
