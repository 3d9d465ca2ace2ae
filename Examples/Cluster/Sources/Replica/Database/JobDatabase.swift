import TimerScheduling
import TimerSchedulingCluster

/// A database with the cluster's store, and with tables that are written in the transactions of the cluster.
protocol JobDatabase: Sendable {
  var store: any TimerStore { get }

  /// Makes the tables that aren't there yet.
  func makeTables() async throws

  /// Does the first step of a run, which writes that its date was begun, once for the date and in one
  /// transaction.
  func begin(_ run: ClusterRun) async throws

  /// Writes the effect of a run and ends the run, in one transaction.
  func finish(_ run: ClusterRun, by replica: String) async throws

  /// Adds tenants and puts their jobs, in one transaction.
  func put(_ tenants: [Tenant], in cluster: TimerCluster) async throws

  /// Removes a tenant and its job, in one transaction.
  func remove(tenant name: String, in cluster: TimerCluster) async throws
}

/// A row of the application. Its job has its name and its payload.
struct Tenant {
  /// The handler of all tenants' jobs.
  static let handler = "report"

  var name: String
  var payload: String
  var key: String?
  var schedule: TimerSchedule
}
