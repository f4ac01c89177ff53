import LedgerEvents
import Testing

struct RecordVectorTests {
  /// Lines with the values that the ledger adds on append.
  private static let lines: [String] = [
    #"{"id":"018f3c2a-7b10-7cc3-9a1e-0123456789ab","type":"download.progressed","#
      + #""occurredAt":"2024-05-29T03:01:00.003003Z","source":"storekit1","#
      + #""environment":"production","app":"com.example.reader","account":"A","device":"D","#
      + #""session":"S","sequence":1234,"product":"P","transaction":"T","download":"C","#
      + #""data":{"progress":0.31,"timeRemaining":13.8}}"#,
    #"{"id":"1","type":"session.started","occurredAt":"1970-01-01T00:00:00Z"}"#,
    #"{"id":"018F3C2A-7B10-7CC3-9A1E-0123456789AB","type":"future.thing","#
      + #""occurredAt":"9999-12-31T23:59:59.999999Z","source":"storekit3","#
      + #""data":{"secret":"x"}}"#,
    #"{"id":"n2","type":"transaction.purchased","occurredAt":"2014-03-05T10:00:06.000Z","#
      + #""source":"storekit1","account":"A","device":"D","transaction":"T","product":"P","#
      + #""originalTransaction":"T","data":{"quantity":1,"#
      + #""purchasedAt":"2014-03-05T10:00:03.000Z","signedAt":"2014-03-05T10:00:03Z","#
      + #""expiresAt":"2014-04-05T10:00:03+00:00","isUpgraded":false,"#
      + #""downloads":[{"download":"d0","contentVersion":"1.0","contentLength":4200000}]}}"#,
    #"{"id":"n3","type":"content.installed","occurredAt":"2014-03-05T10:00:07Z","product":"P","#
      + #""data":{"contentVersion":"1.0","path":"/Library/A","excludedFromBackup":true}}"#,
    #"{"id":"n4","type":"transaction.failed","occurredAt":"2014-03-05T10:00:08Z","payment":"X","#
      + #""data":{"error":{"domain":"SKErrorDomain","code":2,"message":"cancelled"},"#
      + #""cancelled":true}}"#,
    #"{"id":"n5","type":"account.linked","occurredAt":"2014-03-05T10:00:09Z","source":"operator","#
      + #""account":"A","data":{"to":"B","reason":"same person","operator":"O"}}"#,
    #"{"id":"n6","type":"catalog.received","occurredAt":"2014-03-05T10:00:10Z","#
      + #""environment":"localTesting","data":{"products":[{"product":"P","price":"0.99","#
      + #""own":1}],"invalid":["Q"]}}"#,
  ]

  @Test("records are the golden bytes") func recordsGolden() throws {
    var numbers = NameNumbers()
    var vectors: [JSONValue] = []
    for (index, line) in RecordVectorTests.lines.enumerated() {
      let event = try EventDecoder().decode(line: Array(line.utf8)).event
      let recordedAt = Instant(microseconds: event.occurredAt.microseconds / 2 + Int64(index))
      let of = numbers.number(event)
      let commitment: [UInt8]? = event.personalData == nil ? nil : Array(1...16)
      let record = Record.encode(
        event, position: UInt64(index + 1), recordedAt: recordedAt, numbers: of,
        commitment: commitment, key: HashKey(low: 1, high: 2))
      var vector: [(String, JSONValue)] = [
        ("event", .string(line)), ("position", .number(String(index + 1))),
        ("recordedAt", .string(recordedAt.rfc3339)),
        ("numbers", .array(of.map { .number(String($0)) })),
      ]
      if let commitment { vector.append(("commitment", .string(hex(commitment)))) }
      if let personal = event.personalData {
        vector.append(("personal", .string(String(decoding: personal, as: UTF8.self))))
      }
      vector.append(("record", .string(hex(record))))
      vectors.append(.object(vector.map { (name: $0.0, value: $0.1) }))
      let back = try RecordView(record.span).event(
        texts: { numbers.use($0)?.name }, personal: event.personalData)
      #expect(back.sameContent(as: event))
    }
    try Golden.check(
      JSONValue.array(vectors).pretty() + "\n", "Schemas/record-vectors.json")
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The test vectors of SipHash's reference implementation: the key 00…0f, the text 00 01 02 …
  @Test("the keyed hash is SipHash-2-4") func keyedHash() {
    let key = HashKey(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)
    let text = String(decoding: (0..<15).map { UInt8($0) }, as: UTF8.self)
    #expect(key.hash("") == 0x726F_DB47_DD0E_0E31)
    #expect(key.hash(text) == 0xA129_CA61_49BE_45E5)
    #expect(key.hash(String(text.prefix(8))) == 0x93F5_F579_9A93_2462)
  }
}
