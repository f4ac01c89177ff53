extension ServiceSettings {
  /// How many requests a token may send, and an address without one; nil for any number.
  var rate: RateGate.Rate? {
    guard requestsPerSecond > 0 else { return nil }
    return RateGate.Rate(
      perSecond: Double(requestsPerSecond), burst: burst > 0 ? burst : requestsPerSecond)
  }
}
