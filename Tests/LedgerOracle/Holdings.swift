import LedgerEvents

/// A product on a device. It has one installed version for each holder.
struct DeviceProduct: Hashable {
  var device: Name?
  var product: Name
}

/// An operator's grant.
struct Grant {
  enum Subject: Hashable {
    case entitlement(Name)
    case product(Name)
  }
  var subject: Subject
  /// The end; `Int64.max` if there is none.
  var until: Int64
}

struct InstalledVersion {
  var version: String
  /// The event that installed the version.
  var install: Seen
}

/// The holders at one point of the sweep (`model.md` 1 to 4): links, transactions, operators'
/// grants, consumption and installed content.
final class Holdings {
  private var customerOf: [Name: Int] = [:]
  private var accountsOf: [Int: [Name]] = [:]
  private var customersMade = 0

  private(set) var transactions: [Name: [Transaction]] = [:]
  private(set) var grants: [Name: [Grant]] = [:]
  private(set) var spent: [Name: [(unit: Name, amount: Int64)]] = [:]
  /// The installed content by account. Nil means no account, which counts as one holder for
  /// content.
  private var installed: [Name?: [DeviceProduct: InstalledVersion]] = [:]
  /// The products that were ever installed, even if they were removed. They move with content.
  private var everInstalled: [Name?: Set<Name>] = [:]

  /// Returns the number of an account's customer.
  func customer(_ account: Name) -> Int {
    if let known = customerOf[account] { return known }
    customersMade += 1
    customerOf[account] = customersMade
    accountsOf[customersMade] = [account]
    return customersMade
  }

  func customer(_ account: Name?) -> Int? { account.map { customer($0) } }

  /// Returns all account ids of an account's customer.
  func accounts(_ account: Name) -> [Name] { accountsOf[customer(account)] ?? [] }

  func link(_ one: Name, _ other: Name) {
    var (kept, gone) = (customer(one), customer(other))
    guard kept != gone else { return }
    if (accountsOf[kept] ?? []).count < (accountsOf[gone] ?? []).count { swap(&kept, &gone) }
    let moving = accountsOf.removeValue(forKey: gone) ?? []
    for account in moving { customerOf[account] = kept }
    accountsOf[kept, default: []] += moving
  }

  func begin(_ transaction: Transaction) {
    transaction.hasBegun = true
    if let account = transaction.account {
      transaction.holder = account
    } else {
      let stating = transaction.chain.transactions.first { $0.account != nil }
      transaction.holder = stating.flatMap { $0.hasBegun ? $0.holder : $0.account }
    }
    if let holder = transaction.holder { transactions[holder, default: []].append(transaction) }
  }

  /// Moves everything that the customer of `account` holds to `receiver`; nil means no one (an
  /// erasure).
  func move(from account: Name, to receiver: Name?) {
    var movedTransactions: [Transaction] = []
    var movedGrants: [Grant] = []
    var movedSpent: [(unit: Name, amount: Int64)] = []
    var movedInstalled: [[DeviceProduct: InstalledVersion]] = []
    let accounts = accounts(account)
    for account in accounts {
      movedTransactions += transactions.removeValue(forKey: account) ?? []
      movedGrants += grants.removeValue(forKey: account) ?? []
      movedSpent += spent.removeValue(forKey: account) ?? []
      movedInstalled.append(installed.removeValue(forKey: account) ?? [:])
      let products = everInstalled.removeValue(forKey: account) ?? []
      everInstalled[receiver, default: []].formUnion(products)
    }
    for transaction in movedTransactions {
      transaction.holder = receiver
      if let receiver { transaction.movedTo.append(receiver) }
    }
    for (deviceProduct, content) in movedInstalled.joined() {
      keep(content, at: deviceProduct, for: receiver)
    }
    if let receiver {
      transactions[receiver, default: []] += movedTransactions
      grants[receiver, default: []] += movedGrants
      spent[receiver, default: []] += movedSpent
    } else {
      for account in accounts { customerOf.removeValue(forKey: account) }
      for account in accounts { _ = customer(account) }
    }
  }

  private func keep(_ content: InstalledVersion, at deviceProduct: DeviceProduct, for holder: Name?)
  {
    if let known = installed[holder]?[deviceProduct], known.install.index > content.install.index {
      return
    }
    installed[holder, default: [:]][deviceProduct] = content
  }

  // MARK: Operators' grants and balances

  func grant(_ grant: Grant, to account: Name) { grants[account, default: []].append(grant) }

  func withdraw(_ subject: Grant.Subject, from account: Name) {
    for account in accounts(account) { grants[account]?.removeAll { $0.subject == subject } }
  }

  func spend(_ amount: Int64, of unit: Name, by account: Name) {
    spent[account, default: []].append((unit, amount))
  }

  // MARK: Content

  private func holders(_ holder: Name?) -> [Name?] { holder.map { accounts($0) } ?? [nil] }

  func installed(at deviceProduct: DeviceProduct, for holder: Name?) -> InstalledVersion? {
    holders(holder).compactMap { installed[$0]?[deviceProduct] }.max {
      $0.install.index < $1.install.index
    }
  }

  func install(_ content: InstalledVersion, at deviceProduct: DeviceProduct, for holder: Name?) {
    installed[holder, default: [:]][deviceProduct] = content
    everInstalled[holder, default: []].insert(deviceProduct.product)
  }

  /// Returns whether a holder ever had an install of a product, on any device.
  func hasInstalled(_ product: Name, _ holder: Name?) -> Bool {
    holders(holder).contains { everInstalled[$0]?.contains(product) ?? false }
  }

  func remove(at deviceProduct: DeviceProduct, for holder: Name?) {
    for holder in holders(holder) { installed[holder]?[deviceProduct] = nil }
  }

  /// Returns all content of a holder by device and product, with the newest install.
  func content(of holder: Name?) -> [DeviceProduct: InstalledVersion] {
    var found: [DeviceProduct: InstalledVersion] = [:]
    for holder in holders(holder) {
      found.merge(installed[holder] ?? [:]) {
        $0.install.index > $1.install.index ? $0 : $1
      }
    }
    return found
  }
}
