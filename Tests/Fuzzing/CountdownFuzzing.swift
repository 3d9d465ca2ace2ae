/// A countdown of any durations counts from its start to its end, in order, and never beyond.
func fuzzCountdowns(_ input: inout FuzzInput) {
  let (start, end, step) = (input.duration(), input.duration(), input.span())
  guard step > .zero else { return }
  let scale = CountdownScale(from: start, to: end, every: step)
  let values = min(start, end)...max(start, end)
  require(scale.value(ofStep: scale.stepCount) == end, "\(scale) ends elsewhere")
  require(scale.total == .zero || scale.value(ofStep: 0) == start, "\(scale) starts elsewhere")

  let (one, other) = (input.interval(), input.interval())
  let (value, otherValue) = (scale.value(after: min(one, other)), scale.value(after: max(one, other)))
  require(values.contains(value) && values.contains(otherValue), "\(scale) goes beyond its ends")
  require(start < end ? value <= otherValue : value >= otherValue, "\(scale) goes back")

  // The newest step has come, and the one after it hasn't.
  let number = scale.step(after: one)
  require(0...scale.stepCount ~= number, "\(scale) has step \(number) after \(one)")
  require(scale.time(ofStep: number) <= max(one, .zero), "\(scale) has step \(number) before \(one)")
  require(
    number == scale.stepCount || scale.time(ofStep: number + 1) > one,
    "\(scale) doesn't have step \(number + 1) after \(one)")
  require(scale.step(after: scale.time(ofStep: number)) == number, "\(scale) doesn't find step \(number)")
}
