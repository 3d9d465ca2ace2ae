import Foundation
import Testing
import TimerSchedulingCluster

/// When a replica asks the store next, in seconds of the store's clock.
@Suite struct JobProgressTests {
  private func seconds(_ seconds: Int64) -> StoreTime { StoreTime(microseconds: seconds * 1_000_000) }

  /// A job that was registered at 100, with 60 as its last date.
  private func makeProgress() -> JobProgress {
    JobProgress(
      JobRegistration(cursor: seconds(60), knownSince: seconds(100), now: seconds(100)), lease: .seconds(15))
  }

  /// A progress after an answer at 120 to a claim of 120.
  private func progress(after verdict: ClaimVerdict) -> JobProgress {
    var progress = makeProgress()
    _ = progress.ask()
    progress.answered(verdict, for: seconds(120), now: seconds(120))
    return progress
  }

  @Test func `At first the store is asked at once, as a run may have been abandoned`() {
    let progress = makeProgress()
    #expect(progress.nextQuestion(before: seconds(120)) == seconds(100))
    #expect(progress.nextQuestion(before: nil) == seconds(100))
    // Dates from before the job was known aren't owed.
    #expect(progress.base == seconds(100))
  }

  @Test func `A claim whose answer is unknown is asked for again at once, by the same identifier`() {
    var progress = makeProgress()
    let id = progress.ask()
    #expect(progress.ask() == id)
    #expect(progress.nextQuestion(before: seconds(120)) == seconds(60))
    progress.answered(.early, for: seconds(120), now: seconds(110))
    #expect(progress.openClaim == nil)
    #expect(progress.ask() != id)
  }

  @Test func `After a claim, the next date is waited for`() {
    let claim = ClaimVerdict.Claim(date: seconds(120), token: 1, attempt: 1, missedCount: 0)
    var progress = progress(after: .claimed(claim))
    #expect(progress.base == seconds(120))
    #expect(progress.nextQuestion(before: seconds(180)) == seconds(180))
    #expect(progress.nextQuestion(before: nil) == nil)
    // A claim whose answer came too late to run it is asked for again.
    let id = UUID()
    progress.reopen(id)
    #expect(progress.ask() == id)
  }

  @Test func `While another replica runs a date, the end of its lease is waited for`() {
    let progress = progress(after: .busy(cursor: seconds(120), until: seconds(135)))
    #expect(progress.base == seconds(120))
    #expect(progress.nextQuestion(before: seconds(180)) == seconds(135))
    // A date that was due when the store answered waits for the lease, and one that comes within it doesn't.
    #expect(progress.nextQuestion(before: seconds(120)) == seconds(135))
    #expect(progress.nextQuestion(before: seconds(130)) == seconds(130))
  }

  @Test func `A date that another replica has claimed moves the cursor`() {
    let progress = progress(after: .moved(cursor: seconds(180)))
    #expect(progress.base == seconds(180))
    #expect(progress.nextQuestion(before: seconds(240)) == seconds(240))
  }

  @Test func `A date of a pause isn't owed`() {
    #expect(progress(after: .paused).base == seconds(120))
    var early = makeProgress()
    _ = early.ask()
    early.answered(.paused, for: seconds(180), now: seconds(120))
    #expect(early.base == seconds(100))
  }

  @Test func `A store that was busy with others is asked again at once, for the same claim`() {
    var progress = makeProgress()
    let id = progress.ask()
    progress.answered(.contended, for: seconds(120), now: seconds(120))
    #expect(progress.nextQuestion(before: seconds(180)) ?? seconds(180) <= seconds(120))
    #expect(progress.ask() == id)
  }

  @Test func `After a run that was cut off, the end of its lease is waited for`() {
    let claim = ClaimVerdict.Claim(date: seconds(120), token: 1, attempt: 1, missedCount: 0)
    var progress = progress(after: .claimed(claim))
    progress.wasCutOff(at: seconds(130))
    #expect(progress.nextQuestion(before: seconds(180)) == seconds(145))
    #expect(progress.nextQuestion(before: nil) == seconds(145))
  }

  @Test func `A run that was abandoned before a pause is looked for again in each lease`() {
    var progress = makeProgress()
    #expect(progress.watch != nil)
    for now in [120, 135, 150] as [Int64] {
      _ = progress.ask()
      progress.answered(.paused, for: seconds(now), now: seconds(now))
      #expect(progress.nextQuestion(before: nil) == seconds(now + 15))
    }
    // Without a run to watch, a paused job is only asked for at its dates.
    _ = progress.ask()
    progress.answered(.moved(cursor: seconds(150)), for: seconds(150), now: seconds(150))
    _ = progress.ask()
    progress.answered(.paused, for: seconds(180), now: seconds(180))
    #expect(progress.nextQuestion(before: seconds(240)) == seconds(240))
  }
}
