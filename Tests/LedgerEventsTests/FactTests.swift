import LedgerEvents
import LedgerModel
import Testing

struct FactTests {
  private func fact(_ line: String, position: UInt64 = 3) throws -> (Fact, NameNumbers) {
    let input = try EventDecoder().decode(line: Array(line.utf8))
    var numbers = NameNumbers()
    let of = numbers.number(input.event)
    let recordedAt = input.recordedAt ?? input.event.occurredAt
    return (
      Fact(input.event, position: position, recordedAt: recordedAt, numbers: of), numbers
    )
  }

  @Test("progress is a fact without detail") func progressFact() throws {
    let (fact, numbers) = try fact(
      #"{"id":"018f3c2a-7b10-7cc3-9a1e-0123456789ab","type":"download.progressed","#
        + #""occurredAt":"1970-01-01T00:00:01Z","source":"storekit1","environment":"sandbox","#
        + #""transaction":"T","download":"D","sequence":9,"data":{"progress":0.31,"#
        + #""timeRemaining":-1}}"#
    )
    #expect(fact.kind == .downloadProgressed)
    #expect(fact.source == .storekit1)
    #expect(fact.environment == .sandbox)
    #expect(fact.occurredAt == 1_000_000)
    #expect(fact.sequence == 9)
    #expect(fact.progress == 0.31)
    #expect(fact.detail == nil)
    #expect(fact.signedAt == Fact.absentTime)
    #expect(fact.idPrefix == 0x3031_3866_3363_3261)
    #expect(numbers.use(fact.transaction) == NameUse(kind: .transaction, name: "T"))
    #expect(numbers.use(fact.download) == NameUse(kind: .download, name: "D"))
    #expect(fact.account == 0)
  }

  @Test("a delivery announces its downloads by number") func deliveryAnnounces() throws {
    let (fact, numbers) = try fact(
      #"{"id":"1","type":"transaction.purchased","occurredAt":"2014-03-05T10:00:01Z","#
        + #""transaction":"T","product":"P","data":{"quantity":3,"#
        + #""purchasedAt":"2014-03-05T10:00:00.5+01:00","expiresAt":"2015-03-05T10:00:00Z","#
        + #""signedAt":"2014-03-05T10:00:00.000Z","isUpgraded":true,"ownership":"familyShared","#
        + #""downloads":[{"download":"d0","contentVersion":"1.0","x":1},{"download":"d1","#
        + #""host":"own"}]}}"#
    )
    let fields = try #require(fact.detail?.fields)
    #expect(fields.quantity == 3)
    #expect(fields.purchasedAt == Instant(rfc3339: "2014-03-05T09:00:00.5Z")?.microseconds)
    #expect(fields.expiresAt == Instant(rfc3339: "2015-03-05T10:00:00Z")?.microseconds)
    #expect(fact.signedAt == Instant(rfc3339: "2014-03-05T10:00:00Z")?.microseconds)
    #expect(fields.isUpgraded)
    #expect(fields.familyShared)
    #expect(fields.downloads.map { numbers.use($0.download)?.name } == ["d0", "d1"])
    #expect(fields.downloads.map(\.contentVersion) == ["1.0", nil])
    #expect(fields.downloads.map(\.host) == [nil, .own])
  }

  @Test("a catalogue's entries carry what products are") func cataloguesEntries() throws {
    let (fact, numbers) = try fact(
      #"{"id":"1","type":"catalog.set","occurredAt":"2014-03-05T10:00:01Z","#
        + #""data":{"products":[{"product":"P","kind":"autoRenewable","duration":"P1M","#
        + #""entitlements":["pro","x"]},{"product":"Q","kind":"consumable","#
        + #""grants":{"credits":5,"gems":3}}]}}"#
    )
    let entries = try #require(fact.detail?.fields.definitions)
    #expect(entries.map { numbers.use($0.product)?.name } == ["P", "Q"])
    #expect(entries[0].kind == .autoRenewable)
    #expect(entries[0].entitlements == ["pro", "x"])
    #expect(entries[0].duration == CalendarDuration(months: 1, days: 0, microseconds: 0))
    #expect(entries[1].grants.map(\.unit) == ["credits", "gems"])
    #expect(entries[1].grants.map(\.amount) == [5, 3])
  }

  @Test("a response's invalid ids come after its products", arguments: [true, false])
  func responsesInvalid(isInvalidFirst: Bool) throws {
    let products = #""products":[{"product":"P","contentVersion":"2"},{"product":"R"}]"#
    let invalid = #""invalid":["Q","P"]"#
    let data = isInvalidFirst ? "\(invalid),\(products)" : "\(products),\(invalid)"
    let (fact, numbers) = try fact(
      #"{"id":"1","type":"catalog.received","occurredAt":"2014-03-05T10:00:01Z","data":{\#(data)}}"#
    )
    let fields = try #require(fact.detail?.fields)
    #expect(fields.offered.map { numbers.use($0.product)?.name } == ["P", "R"])
    #expect(fields.offered.map(\.contentVersion) == ["2", nil])
    #expect(fields.invalid.map { numbers.use($0)?.name } == ["Q", "P"])
  }

  @Test(
    "a percentage is exact to the millionth",
    arguments: [
      ("100", 100_000_000), ("50.5", 50_500_000), ("33.3333333", 33_333_333), ("5e1", 50_000_000),
      ("0", 0), ("0.000001", 1), ("505e-1", 50_500_000),
    ] as [(String, Int64)])
  func percentageExact(text: String, millionths: Int64) throws {
    let (fact, _) = try fact(
      #"{"id":"1","type":"transaction.refunded","occurredAt":"2014-03-05T10:00:01Z","#
        + #""transaction":"T","data":{"percent":\#(text)}}"#
    )
    #expect(fact.detail?.fields.percentMillionths == millionths)
  }

  @Test("an error is seen, and a path by its hash alone") func errorSeen() throws {
    let line =
      #"{"id":"1","type":"content.installed","occurredAt":"2014-03-05T10:00:01Z","product":"P","#
      + #""data":{"contentVersion":"1.0","path":"/a","digest":"aa","excludedFromBackup":false,"#
      + #""error":{}}}"#
    let (fact, _) = try fact(line)
    let fields = try #require(fact.detail?.fields)
    #expect(fields.hasError)
    #expect(fields.pathHash == HashKey.zero.hash("/a"))
    #expect(fields.pathHash != HashKey.zero.hash("/b"))
    #expect(fields.digest == "aa")
    #expect(fields.contentVersion == "1.0")
    #expect(fields.excludedFromBackup == false)
  }

  @Test("a link carries its other account") func linkCarries() throws {
    let (fact, numbers) = try fact(
      #"{"id":"1","type":"account.linked","occurredAt":"2014-03-05T10:00:01Z","account":"A","#
        + #""data":{"to":"B"}}"#
    )
    #expect(numbers.use(fact.account) == NameUse(kind: .account, name: "A"))
    #expect(
      numbers.use(try #require(fact.detail).fields.to) == NameUse(kind: .account, name: "B"))
  }

  @Test("what an operator and a spender state is in the detail") func operatorSpender() throws {
    let (granted, _) = try fact(
      #"{"id":"1","type":"entitlement.granted","occurredAt":"2014-03-05T10:00:01Z","account":"A","#
        + #""data":{"entitlement":"pro","until":"2014-03-06T00:00:00Z"}}"#
    )
    #expect(granted.detail?.fields.entitlement == "pro")
    #expect(
      granted.detail?.fields.until == Instant(rfc3339: "2014-03-06T00:00:00Z")?.microseconds)
    let (spent, _) = try fact(
      #"{"id":"1","type":"consumable.consumed","occurredAt":"2014-03-05T10:00:01Z","account":"A","#
        + #""data":{"unit":"credits","amount":4,"required":true}}"#
    )
    #expect(spent.detail?.fields.unit == "credits")
    #expect(spent.detail?.fields.amount == 4)
    #expect(spent.detail?.fields.required == true)
    let (checked, _) = try fact(
      #"{"id":"1","type":"payments.checked","occurredAt":"2014-03-05T10:00:01Z","#
        + #""data":{"allowed":false}}"#
    )
    #expect(checked.detail?.fields.allowed == false)
  }

  @Test("a clock more than a day ahead is not believed") func clockMore() throws {
    let (fact, _) = try fact(
      #"{"id":"1","type":"note.added","occurredAt":"2014-03-07T10:00:01Z","#
        + #""recordedAt":"2014-03-05T10:00:01Z","data":{"text":"x"}}"#
    )
    #expect(fact.occurredAt == fact.recordedAt)
    #expect(fact.statedOccurredAt > fact.occurredAt)
  }
}
