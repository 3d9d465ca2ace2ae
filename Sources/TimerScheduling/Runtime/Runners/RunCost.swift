/// An estimate of a worker's time for a run or a resumed job.
///
/// It decides whether another worker is worthwhile. Two workers that share runs of a fraction of a microsecond
/// contend for the queue's lock, and together need more time than one.
package struct RunCost {
  /// The largest number of runs and jobs between two samples.
  private static var sampleCount: Int { 64 }

  /// The estimate in nanoseconds. High at first, so that the first runs get all the workers they can use.
  package private(set) var nanoseconds: UInt64 = 100_000
  /// The number of runs and jobs begun since the last sample.
  private var begunCount = 0
  /// The moment of the last sample, plus the time in which no worker was busy.
  private var sampled: UInt64 = 0

  package init() {}

  /// Counts a run or a job that begins. Returns whether a sample is due.
  package mutating func begin() -> Bool {
    begunCount &+= 1
    return begunCount >= Self.sampleCount
  }

  /// Takes a sample of the time since the last one, during which `workerCount` workers were busy.
  package mutating func sample(at now: UInt64, workerCount: Int) {
    let sample = (now &- sampled) &* UInt64(workerCount) / UInt64(max(1, begunCount))
    if sample < nanoseconds {
      nanoseconds = sample
    } else {
      // Limits the influence of one worker that was preempted.
      nanoseconds = (3 * nanoseconds + min(sample, 4 * nanoseconds + 1000)) / 4
    }
    sampled = now
    begunCount = 0
  }

  /// Raises the estimate because some workers have begun nothing for a while, so runs take long.
  package mutating func stalled(for interval: UInt64, until now: UInt64) {
    nanoseconds = max(nanoseconds, interval)
    sampled = now
    begunCount = 0
  }

  /// Stops the measurement when the last busy worker leaves. Idle time doesn't count, nor does the wakeup of a
  /// thread.
  package mutating func pause(at now: UInt64) {
    sampled = now &- sampled
  }

  package mutating func resume(at now: UInt64) {
    sampled = now &- sampled
  }

  /// Whether several workers are worthwhile. Two that share runs of a microsecond or less mostly contend for the
  /// queue. That raises the estimate by itself, so the lower bound is well above it.
  package var favorsSeveralWorkers: Bool? {
    if nanoseconds >= 5000 { return true }
    return nanoseconds < 3000 ? false : nil
  }

  /// Returns whether `waitingCount` runs and jobs justify the start of a worker, which takes about 10 µs of processor
  /// time.
  package func isWorthStart(waitingCount: Int) -> Bool {
    nanoseconds &* UInt64(waitingCount) >= 50_000
  }
}
