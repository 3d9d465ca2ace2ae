import Testing
import TimerSchedulingCluster

/// When a replica claims next, in seconds of the store's clock, which is 100 ahead of the replica's.
@Suite struct ClaimPlanTests {
  private func time(_ seconds: Double) -> StoreTime { StoreTime(microseconds: Int64(seconds * 1e6)) }

  private func wait(_ plan: ClaimPlan, at seconds: Double) -> Duration {
    plan.wait(at: .seconds(seconds - 100), now: time(seconds), longest: .seconds(10))
  }

  @Test func `Without anything to wait for, a claim is made after the longest wait`() {
    #expect(wait(ClaimPlan(), at: 100) == .seconds(10))
  }

  @Test
  func `The earliest moment since the last claim counts, also one that was known while it was under way`() {
    var plan = ClaimPlan()
    plan.want(at: time(103))
    plan.want(at: time(102))
    #expect(wait(plan, at: 100) == .seconds(2))
    plan.sends(at: time(102))
    #expect(wait(plan, at: 102) == .seconds(10))
    plan.want(at: time(107))
    plan.answered(hasRows: true, next: time(109), now: time(102), stepBack: .zero)
    #expect(wait(plan, at: 102) == .seconds(5))
    plan.want(at: nil)
    #expect(wait(plan, at: 102) == .zero)
  }

  @Test func `A date for which a claim was sent isn't asked for again`() {
    var plan = ClaimPlan()
    plan.sends(at: time(100))
    plan.want(since: time(100))
    #expect(wait(plan, at: 101) == .seconds(10))
    plan.want(since: time(100.5))
    #expect(wait(plan, at: 101) == .zero)
  }

  @Test func `A replica that has found nothing for a date comes later than others, until it finds something`()
  {
    var plan = ClaimPlan()
    func claim(at seconds: Double, hasRows: Bool = false, next: Double) -> Duration {
      plan.sends(at: time(seconds))
      plan.answered(hasRows: hasRows, next: time(next), now: time(seconds), stepBack: .milliseconds(20))
      return wait(plan, at: seconds)
    }
    // Nothing was due, and nothing is lost.
    #expect(claim(at: 100, next: 102) == .seconds(2))
    // It was early by some milliseconds.
    #expect(claim(at: 102, next: 102.05) == .milliseconds(50))
    #expect(claim(at: 102.05, next: 103) == .milliseconds(970))
    #expect(claim(at: 103.02, next: 104) == .seconds(1))
    plan.want(since: time(103.5))
    #expect(wait(plan, at: 103.5) == .milliseconds(20))
    #expect(claim(at: 104.02, hasRows: true, next: 105) == .milliseconds(980))
  }

  @Test func `Changes until a claim are that claim's, which has lost no race if it finds nothing`() {
    var plan = ClaimPlan()
    plan.wantForChange(at: time(100.01))
    plan.wantForChange(at: time(100.005))
    #expect(wait(plan, at: 100) == .milliseconds(10))
    plan.sends(at: time(100.01))
    plan.answered(hasRows: false, next: time(103), now: time(100.01), stepBack: .seconds(1))
    #expect(wait(plan, at: 101) == .seconds(2))
  }

  @Test func `After failures, the waits double up to the longest, and wishes don't shorten them`() {
    var (plan, waits) = (ClaimPlan(), [Duration]())
    for _ in 1...5 {
      plan.failed(at: .zero, first: .seconds(1), longest: .seconds(6))
      plan.want(at: nil)
      waits.append(wait(plan, at: 100))
    }
    #expect(waits == [.seconds(1), .seconds(2), .seconds(4), .seconds(6), .seconds(6)])
    plan.answered(hasRows: true, next: time(108), now: time(100), stepBack: .zero)
    #expect(wait(plan, at: 100) == .zero)
    plan.sends(at: time(100))
    plan.answered(hasRows: true, next: time(108), now: time(100), stepBack: .zero)
    #expect(wait(plan, at: 100) == .seconds(8))
  }

  @Test func `A row that stays locked is asked for at doubling waits, which the step back doesn't begin`() {
    var (plan, waits) = (ClaimPlan(), [Duration]())
    for _ in 1...4 {
      plan.want(at: time(100))
      plan.sends(at: time(100))
      plan.foundLock(
        at: .zero, first: .milliseconds(50), longest: .milliseconds(200), stepBack: .milliseconds(900))
      waits.append(wait(plan, at: 100))
    }
    #expect(waits == [.milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(200)])
    // But the next date is.
    plan.sends(at: time(100.2))
    plan.answered(hasRows: false, next: time(101), now: time(100.2), stepBack: .zero)
    #expect(wait(plan, at: 100.2) == .milliseconds(1700))
  }

  @Test func `Before the store has told its time, a wish is for now`() {
    var plan = ClaimPlan()
    plan.want(at: time(1_000))
    #expect(plan.wait(at: .zero, now: nil, longest: .seconds(10)) == .zero)
  }

  @Test func `A claim is sent again with its number until it is answered`() {
    var session = ReplicaSession()
    session.registered([], isAll: true)
    var claims = [session.sends(), session.sends()]
    session.answered()
    claims.append(session.sends())
    #expect(claims.map { $0?.number } == [1, 1, 2])
    #expect(claims.map { $0?.isRepeated } == [false, true, false])
    let next = ReplicaSession(after: session)
    #expect(next.id != session.id && next.number == 1 && next.declares == [])
  }

  @Test func `A session that took another's place is registered before it claims`() {
    var session = ReplicaSession()
    var claims = [session.sends()]
    session.registered([], isAll: true)
    claims.append(session.sends())
    session = ReplicaSession(after: session)
    claims.append(session.sends())
    #expect(claims.map { $0?.number } == [nil, 1, nil])
  }

  @Test func `A session is registered until the store knows all jobs, and declares a schedule once`() {
    var session = ReplicaSession()
    session.declare(["a", "b"])
    session.registered(["a"], isAll: false)
    #expect(session.isKnown && session.declares == ["b"])
    session.registered(["b"], isAll: true)
    #expect(session.declares == nil)
    // A job that ends is taken back.
    session.declare([])
    #expect(session.declares == [])
  }

  @Test func `A job whose row was locked is declared again after a claim, which goes on for others`() {
    var session = ReplicaSession()
    session.declare(["a", "b"])
    session.registered(["a", "b"], locked: ["a"], isAll: true)
    #expect(session.sends()?.number == 1)
    session.answered()
    #expect(session.declares == ["a"] && session.sends() == nil)
    session.registered(["a"], locked: ["a"], isAll: true)
    // A new session declares it, too.
    #expect(ReplicaSession(after: session).declares == ["a"])
    _ = session.sends()
    session.answered()
    session.registered(["a"], isAll: true)
    _ = session.sends()
    session.answered()
    #expect(session.declares == nil)
  }

  @Test func `Locked rows and changed schedules are reported once, and locks again after each lease`() {
    var troubles = ClaimTroubles()
    var answer = ClaimAnswer(now: time(0))
    (answer.locked, answer.others) = (["a"], ["b"])
    func reports(at seconds: Int) -> [String] {
      troubles.update(answer, at: .seconds(seconds), lease: .seconds(15)).map(\.description)
    }
    let (locked, changed) = (ClusterError.jobLocked(job: "a"), ClusterError.scheduleChanged(job: "b"))
    #expect(
      [0, 5, 14, 15, 20, 30].map(reports(at:))
        == [[changed.description], [], [], [locked.description], [], [locked.description]])
    (answer.locked, answer.others) = ([], [])
    #expect(reports(at: 31).isEmpty)
    answer.unserved = ["b"]
    #expect(reports(at: 32) == [changed.description])
  }
}
