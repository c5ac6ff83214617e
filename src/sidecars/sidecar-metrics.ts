import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Clock } from '../base/clock.ts'
import { createCallMetrics } from '../csi/index.ts'
import type { LeaderElection } from '../kube/process/leader-election.ts'
import { createQueueMetrics } from '../kube/controller/queue-metrics.ts'
import type { RoleState } from '../kube/process/supervise-role.ts'

export type SidecarMetrics = ReturnType<typeof createSidecarMetrics>

/**
 * The metrics of a sidecar besides those of the process. The names are those in the dashboards of the Go sidecars; metrics that the Go sidecars do
 * not have begin with csi_sidecars.
 */
export function createSidecarMetrics(registry: Registry, clock: Clock) {
  const registers = [registry]
  const gauge = (name: string, help: string, label: string) => new Gauge({ name, help, labelNames: [label], registers })
  const working = gauge('csi_sidecars_controller_working', 'Whether the controller works in this process', 'controller')
  const failures = new Counter({
    name: 'csi_sidecars_controller_failures_total',
    help: 'How often the controller failed and had to come back',
    labelNames: ['controller'],
    registers,
  })
  return {
    registry,
    calls: createCallMetrics(registry),
    queues: createQueueMetrics(registry, clock),
    ...createElectionMetrics(registry),
    roleMoved: (controller: string, { kind }: RoleState): void => {
      working.set({ controller }, kind === 'working' ? 1 : 0)
      failures.inc({ controller }, kind === 'failed' ? 1 : 0)
    },
  }
}

/** Whether this replica leads, with the metric name of Kubernetes. */
export function createElectionMetrics(registry: Registry) {
  const leading = new Gauge({
    name: 'leader_election_master_status',
    help: 'Whether this replica holds the lease: 1, or 0 while another may',
    labelNames: ['name'],
    registers: [registry],
  })
  return {
    /** Shows whether this replica holds the lease, for the duration of the election. */
    followElection: (lease: string, election: LeaderElection): void => {
      const show = (): void => leading.set({ name: lease }, election.isLeading() ? 1 : 0)
      show()
      election.onChange(show)
    },
  }
}
