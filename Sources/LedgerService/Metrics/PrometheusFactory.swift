import CoreMetrics

/// Makes the metrics of swift-metrics out of a registry.
struct PrometheusFactory: MetricsFactory {
  let registry: PrometheusRegistry

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    CountedSeries(registry, PrometheusRegistry.Key(label, dimensions, suffix: "_total"))
  }

  func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    CountedSeries(registry, PrometheusRegistry.Key(label, dimensions, suffix: "_total"))
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    RecordedSeries(registry, PrometheusRegistry.Key(label, dimensions), isGauge: !aggregate)
  }

  func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    RecordedSeries(registry, PrometheusRegistry.Key(label, dimensions), isGauge: true)
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    TimedSeries(registry, PrometheusRegistry.Key(label, dimensions, suffix: "_seconds"))
  }

  func destroyCounter(_ handler: any CounterHandler) { (handler as? CountedSeries)?.end() }

  func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
    (handler as? CountedSeries)?.end()
  }

  func destroyRecorder(_ handler: any RecorderHandler) { (handler as? RecordedSeries)?.end() }

  func destroyMeter(_ handler: any MeterHandler) { (handler as? RecordedSeries)?.end() }

  func destroyTimer(_ handler: any TimerHandler) { (handler as? TimedSeries)?.end() }
}

private final class CountedSeries: CounterHandler, FloatingPointCounterHandler {
  private let registry: PrometheusRegistry
  private let key: PrometheusRegistry.Key

  init(_ registry: PrometheusRegistry, _ key: PrometheusRegistry.Key) {
    (self.registry, self.key) = (registry, key)
  }

  func increment(by amount: Int64) { registry.count(key, Double(amount)) }
  func increment(by amount: Double) { registry.count(key, amount) }
  func reset() { end() }
  func end() { registry.remove(key) }
}

private final class RecordedSeries: RecorderHandler, MeterHandler {
  private let registry: PrometheusRegistry
  private let key: PrometheusRegistry.Key
  private let isGauge: Bool

  init(_ registry: PrometheusRegistry, _ key: PrometheusRegistry.Key, isGauge: Bool) {
    (self.registry, self.key, self.isGauge) = (registry, key, isGauge)
  }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    if isGauge { registry.set(key, value) } else { registry.observe(key, value: value) }
  }

  func set(_ value: Int64) { registry.set(key, Double(value)) }
  func set(_ value: Double) { registry.set(key, value) }
  func increment(by amount: Double) { registry.add(key, amount) }
  func decrement(by amount: Double) { registry.add(key, -amount) }
  func end() { registry.remove(key) }
}

private final class TimedSeries: TimerHandler {
  private let registry: PrometheusRegistry
  private let key: PrometheusRegistry.Key

  init(_ registry: PrometheusRegistry, _ key: PrometheusRegistry.Key) {
    (self.registry, self.key) = (registry, key)
  }

  func recordNanoseconds(_ duration: Int64) {
    registry.observe(key, seconds: Double(duration) / 1_000_000_000)
  }

  func end() { registry.remove(key) }
}
