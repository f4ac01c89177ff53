import LedgerService
@main struct S { static func main() {} }
