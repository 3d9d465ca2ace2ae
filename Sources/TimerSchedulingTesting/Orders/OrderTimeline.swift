/// The steps of an order: a line for each job.
struct OrderTimeline: Sendable {
  private struct Step: Sendable {
    /// The task. Nil for work of no task.
    var member: Member?
    /// The name of the run, the added task or the body that it is, or that its maker has given it.
    var name: String?
    /// The type of the actor on which it goes on.
    var actor: String?
    /// The address of the code with which it goes on.
    var place: UInt = 0
    /// The task that could have gone on instead.
    let interrupted: Member?
  }

  private var steps: [Step] = []
  /// The task that the next step interrupts.
  var interrupted: Member?

  mutating func begins(_ work: ReadyWork) {
    // The job that comes next is that of the task that has yielded.
    if work.isResumption { return }
    steps.append(Step(interrupted: interrupted.take()))
    if let member = work.member { goesOn(member) }
    if case .mainJob = work.kind { steps[steps.count - 1].actor = "MainActor" }
  }

  /// Notes which task the last step is one of.
  mutating func goesOn(_ member: Member) {
    guard var step = steps.popLast() else { return }
    step.member = member
    step.name = member.participant?.name.lowercasedFirst ?? member.name.map { "\"\($0)\"" }
    if case .turn(let actor, _)? = member.runtimeWait {
      // The task goes on there now, so the actor can't go.
      step.actor = RuntimeWait.typeName(ofObjectAt: actor) { true }
    }
    step.place = RuntimeWait.place(of: member.task, isKept: member.isKept) ?? 0
    steps.append(step)
  }

  /// The steps as text, without the end of the last line.
  var text: String {
    var (numbers, names, functions) = ([UInt64: Int](), [UInt64: String](), [UInt: String?]())
    func function(at address: UInt) -> String? {
      if let known = functions[address] { return known }
      let name = Runtime.userFunction(at: address)
      functions[address] = .some(name)
      return name
    }
    for step in steps {
      guard let member = step.member else { continue }
      let task = member.task.number
      if numbers[task] == nil { numbers[task] = numbers.count + 1 }
      names[task] = names[task] ?? step.name
    }
    var introduced: Set<UInt64> = []
    return steps.enumerated().map { index, step in
      guard let member = step.member else { return "\(index + 1). the clock" }
      let task = member.task.number
      var line = "\(index + 1). task \(numbers[task] ?? 0)"
      if introduced.insert(task).inserted {
        let maker = member.birth.lazy.compactMap { function(at: $0) }.first
        if let name = names[task] ?? maker.map({ "made in \($0)" }) { line += " (\(name))" }
      }
      if let function = function(at: step.place) { line += ", \(function)" }
      if let actor = step.actor { line += " on \(actor)" }
      if let interrupted = step.interrupted {
        line += ", interrupts task \(numbers[interrupted.task.number] ?? 0)"
      }
      return line
    }.joined(separator: "\n")
  }
}
