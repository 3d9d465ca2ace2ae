import TimerScheduling
@main struct Heartbeat { static func main() async { let s = TimerScheduler(); for await t in s.ticks(every: 0.2, limit: 5) { print(t) } } }
