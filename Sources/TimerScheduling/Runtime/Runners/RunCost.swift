/// An estimate of how long a worker takes for a run or a resumed job.
///
/// It tells whether a further worker pays. Two workers that share runs of a fraction of a microsecond take turns at
/// the queue's lock, and need more time for all of them than one.
package struct RunCost {
  /// The longest time from one sample to the next.
  private static var sampleCount: Int { 64 }

  /// The estimate in nanoseconds. High at first, so that the first runs get all workers they can use.
  package private(set) var nanoseconds: UInt64 = 100_000
  /// The number of runs and jobs begun since the last sample.
  private var begunCount = 0
  /// The moment of the last sample, moved later by the time in which no worker was busy.
  private var sampled: UInt64 = 0

  package init() {}

  /// Counts a run or a job that begins. Returns whether a sample is due.
  package mutating func begin() -> Bool {
    begunCount &+= 1
    return begunCount >= Self.sampleCount
  }

  /// Takes a sample of the time since the last one, in which `workerCount` workers were busy.
  package mutating func sample(at now: UInt64, workerCount: Int) {
    let sample = (now &- sampled) &* UInt64(workerCount) / UInt64(max(1, begunCount))
    if sample < nanoseconds {
      nanoseconds = sample
    } else {
      // One worker that was preempted doesn't count for much.
      nanoseconds = (3 * nanoseconds + min(sample, 4 * nanoseconds + 1000)) / 4
    }
    sampled = now
    begunCount = 0
  }

  /// Some workers have begun nothing for a while, so runs take long.
  package mutating func stalled(for interval: UInt64, until now: UInt64) {
    nanoseconds = max(nanoseconds, interval)
    sampled = now
    begunCount = 0
  }

  /// The last busy worker leaves. The time until one is busy doesn't count, nor does what a thread takes to be woken.
  package mutating func pause(at now: UInt64) {
    sampled = now &- sampled
  }

  package mutating func resume(at now: UInt64) {
    sampled = now &- sampled
  }

  /// Whether several workers pay. Two that share runs of a microsecond or less mostly contend for the queue, which
  /// makes the estimate higher by itself, so the lower bound is well above that.
  package var favorsSeveralWorkers: Bool? {
    if nanoseconds >= 5000 { return true }
    return nanoseconds < 3000 ? false : nil
  }

  /// Whether `waitingCount` runs and jobs are worth the start of a worker, some 10 µs of processor time.
  package func isWorthStart(waitingCount: Int) -> Bool {
    nanoseconds &* UInt64(waitingCount) >= 50_000
  }
}
