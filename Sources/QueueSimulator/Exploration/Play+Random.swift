extension Play {
  /// The random run with this number.
  static func atRandom(
    _ run: Int, _ cast: Cast, _ options: Exploration.Options
  ) -> (play: Play, seed: UInt64) {
    var random = SplitMix(seed: options.seed, run: UInt64(run))
    // Files contain seeds as JSON integers, so a seed has at most 52 bits.
    let seed = random.next() >> 12 | 1
    var play = Play(cast, seed: seed, faults: random.below(options.faults + 1))
    play.playAtRandom(
      &random, actionCountMax: options.actionCountMax, faultInterval: options.faultInterval)
    play.recover()
    return (play, seed)
  }
}
