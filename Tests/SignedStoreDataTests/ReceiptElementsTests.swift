import Foundation
import SwiftASN1
import Testing

@testable import SignedStoreData

@Suite("A receipt of very many elements") struct ReceiptElementsTests {
  private let samples: ReceiptSamples

  init() throws { samples = try ReceiptSamples() }

  private func refusal(_ bytes: [UInt8]) -> SignedDataError? {
    do throws(SignedDataError) {
      _ = try AppReceipt(unverified: bytes)
      return nil
    } catch { return error }
  }

  @Test("is refused before they are read, wherever they are") func tooMany() throws {
    let empty = element(0x30, [])
    let many = Array([[UInt8]](repeating: empty, count: receiptElementsMax).joined())
    #expect(refusal(element(0x30, many))?.code == .tooLarge, "around the content")
    let attributes = try samples.receipt(signing: element(0x31, many), certificates: [])
    #expect(refusal(attributes)?.code == .tooLarge, "in the content")
    let purchase = attribute(17, element(0x31, many))
    let inPurchase = try samples.receipt(
      signing: ReceiptSamples.content(ReceiptSamples.attributes() + [purchase]), certificates: [])
    let error = try #require(refusal(inPurchase))
    #expect(error.code == .tooLarge && error.reason.contains("\(receiptElementsMax) elements"))
  }

  @Test("is read as long as there are not more") func most() throws {
    let attributes = [[UInt8]](
      repeating: attribute(9_999, []), count: receiptElementsMax / 4 - 100)
    let receipt = try samples.receipt(
      signing: ReceiptSamples.content(ReceiptSamples.attributes() + attributes), certificates: [])
    #expect(refusal(receipt) == nil)
  }

  @Test(
    "is counted as it is read: with long tags, lengths of every form and open ends",
    arguments: [
      ([0x30, 0x06, 0x02, 0x01, 0x05, 0x04, 0x01, 0x30], 3),
      ([0x30, 0x80, 0x02, 0x01, 0x05, 0x00, 0x00], 3),
      ([0x30, 0x81, 0x03, 0x02, 0x01, 0x05], 2),
      ([0x30, 0x86, 0, 0, 0, 0, 0, 0x03, 0x02, 0x01, 0x05], 2),
      ([0xBF, 0x81, 0x01, 0x03, 0x9F, 0x22, 0x00], 2),
      ([0x04, 0x05, 0x01], 1), ([0x30], 0), ([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], 0),
      ([0x1F, 0x80, 0x80], 0), ([], 0),
    ] as [([UInt8], Int)])
  func counted(_ bytes: [UInt8], _ count: Int) {
    #expect(!ReceiptElements.hasMore(than: count, bytes[...]))
    if count > 0 { #expect(ReceiptElements.hasMore(than: count - 1, bytes[...])) }
  }

  @Test("stands behind a byte order mark as well as without one") func mark() throws {
    let receipt = try samples.receipt()
    let text = Array(Data(receipt).base64EncodedString().utf8)
    #expect(refusal([0xEF, 0xBB, 0xBF] + text) == nil)
    #expect(refusal([0xEF, 0xBB, 0xBF])?.code == .malformed)
  }
}
