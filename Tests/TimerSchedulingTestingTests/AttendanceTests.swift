import TestSupport
import Testing
import TimerScheduling
import TimerSchedulingTesting

/// The tasks that a clock waits for, as a value: participants with the tasks that they have made.
@Suite(.guarantee("G124")) struct AttendanceTests {
  private let parent = TaskIdentity(number: 10)
  private let child = TaskIdentity(number: 20)
  private let sibling = TaskIdentity(number: 30)
  private let older = TaskIdentity(number: 5)
  private let run = Attendance.Attendee.consumer(.run(timer: 1, number: 1))

  /// A run whose task has made two others. One of these sleeps, and the task of the run only waits for them.
  private func makeRun() -> Attendance {
    var attendance = Attendance()
    attendance.enter(run, name: nil)
    attendance.begin(run, in: parent, isAdded: false, jobCount: 1)
    for task in [child, sibling] { _ = attendance.jobEnqueued(task, by: parent) }
    attendance.beginWait(of: sibling)
    for task in [sibling, parent] { _ = attendance.jobEnded(task) }
    return attendance
  }

  @Test func `A run without a job is waited for unless a task it has made waits for the clock`() {
    var attendance = Attendance()
    attendance.enter(run, name: nil)
    attendance.begin(run, in: parent, isAdded: false, jobCount: 1)
    _ = attendance.jobEnqueued(child, by: parent)
    _ = attendance.jobEnded(parent)
    _ = attendance.jobEnded(child)
    #expect(!attendance.isSettled)
    attendance.beginWait(of: child)
    #expect(attendance.isSettled && attendance.isToBeVerified)
    attendance.endWait(of: child, slept: true)
    #expect(!attendance.isSettled)
  }

  @Test func `A run that waits for the clock itself needs no proof`() {
    var attendance = Attendance()
    attendance.enter(run, name: nil)
    attendance.begin(run, in: parent, isAdded: false, jobCount: 1)
    attendance.beginWait(of: parent)
    #expect(attendance.isSettled && !attendance.isToBeVerified)
  }

  @Test func `A task that a run only resumes isn't the run's`() {
    var attendance = makeRun()
    #expect(!attendance.isSettled)
    _ = attendance.jobEnded(child)
    #expect(attendance.isSettled && attendance.isToBeVerified)
    let isRuns = attendance.jobEnqueued(older, by: child)
    #expect(!isRuns)
    #expect(attendance.isSettled)
  }

  @Test func `A task that outlives its run is waited for while it has a job or sleeps`() {
    var attendance = makeRun()
    let leftAtEnd = attendance.end(run, in: parent, isAdded: false)
    #expect(leftAtEnd == [parent])
    #expect(!attendance.isSettled)
    let leftWhileOneSleeps = attendance.jobEnded(child)
    #expect(leftWhileOneSleeps.isEmpty)
    #expect(attendance.isSettled)
    attendance.endWait(of: sibling, slept: true)
    let isKnown = attendance.jobEnqueued(sibling, by: nil)
    #expect(isKnown)
    #expect(!attendance.isSettled)
    let leftLast = attendance.jobEnded(sibling)
    #expect(leftLast == [child, sibling])
    #expect(attendance.isSettled)
  }
}
