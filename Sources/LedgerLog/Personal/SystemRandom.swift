/// The system's random numbers.
///
/// Swift's own generator is an empty structure, which has no address. The thread sanitizer records
/// an access to the address of whatever is passed `inout`, so a program that was built with it
/// would crash.
package final class SystemRandom: RandomNumberGenerator {
  package init() {}

  package func next() -> UInt64 { UInt64.random(in: .min ... .max) }
}
