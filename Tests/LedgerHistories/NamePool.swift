import LedgerEvents

/// The names that one event can use: few in a dense history, those of one account in a sparse one.
struct NamePool {
  var apps: [Name?]
  var accounts: [Name]
  var devices: [Name?]
  var sessions: [Name?]
  var payments: [Name]
  var products: [Name]
  var transactions: [Name]
  var originals: [Name]
  var downloads: [Name]

  /// Returns few names for everything, so that events meet. In some pools, accounts differ only in
  /// how an accent is encoded.
  static func dense(_ random: inout SeededRandom) -> NamePool {
    let accented = random.chance(1, in: 6)
    return NamePool(
      apps: random.chance(1, in: 2) ? [nil] : [nil, nil, "app1", "app2"],
      accounts: accented ? ["A", "Zo\u{EB}", "Zoe\u{308}"] : ["A", "A", "B", "C"],
      devices: random.chance(1, in: 3) ? ["d1", "d2", nil] : ["d1", "d1", "d1", nil],
      sessions: ["s1", "s2", nil, nil], payments: ["p1", "p2", "p3"],
      products: ["non", "non2", "con", "sub", "sub2", "nre", "nocat"],
      transactions: random.chance(1, in: 2)
        ? ["t1", "t1", "t2"] : ["t1", "t1", "t2", "t2", "t3", "t4", "t5"],
      originals: random.chance(1, in: 2) ? ["t1"] : ["t1", "o1", "o2"],
      downloads: ["c1", "c1", "c2", "c3"])
  }

  /// Returns the names of one account among many, and sometimes those of another account.
  static func sparse(account: Int, of accounts: Int, _ random: inout SeededRandom) -> NamePool {
    var owner = account
    if random.chance(1, in: 400) { owner = random.below(accounts) }
    let stranger = random.chance(1, in: 400) ? random.below(accounts) : account
    return NamePool(
      apps: [nil, "com.example.reader"],
      accounts: ["account-\(account)", "account-\(account)", "account-\(stranger)"].map {
        Name($0)
      },
      devices: ["phone-\(account)", "phone-\(account)", "pad-\(account)"].map { Name($0) },
      sessions: [nil, Name("launch-\(account)-\(random.below(4))")],
      payments: (0..<3).map { Name("payment-\(owner)-\($0)") },
      products: (0..<12).map { Name("product-\($0)") },
      transactions: (0..<6).map { Name("transaction-\(owner)-\($0)") },
      originals: (0..<3).map { Name("transaction-\(owner)-\($0)") },
      downloads: ["content", "extra"])
  }
}
