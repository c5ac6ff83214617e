import { defineCommand } from '../base/options/index.ts'
import { attacherRole } from '../sidecars/attacher-role.ts'
import type { DriverFacts } from '../sidecars/discover-driver.ts'
import { findMissingRoles } from '../sidecars/find-missing-roles.ts'
import { healRole } from '../sidecars/heal-role.ts'
import { healthMonitorRole } from '../sidecars/health-monitor-role.ts'
import { ifVolumesCanBeMade, provisionerRole } from '../sidecars/provisioner-role.ts'
import { resizerRole } from '../sidecars/resizer-role.ts'
import type { RoleDefinition } from '../sidecars/role.ts'
import { sweepRole } from '../sidecars/sweep-role.ts'
import { snapshotterRole } from '../sidecars/snapshotter-role.ts'
import { checkStandardConfig } from '../sidecars/standard-options.ts'
import { createCommandModule } from './command-module.ts'
import type { KubernetesConnection } from './connect-kubernetes.ts'
import { provisionerPlace } from './provisioner-place.ts'
import { placeSnapshotter } from './snapshotter-place.ts'
import { runRoles } from './run-roles.ts'
import { roleConfigsOf, sidecarOptions } from './sidecar-options.ts'

const command = defineCommand({
  name: 'holdfast sidecar',
  summary:
    'Runs all sidecars of one CSI driver in one process, with one connection to the driver and one cache for each kind. The capabilities of the driver determine which of them run. Flags of a single role begin with its name.',
  options: sidecarOptions,
  examples: [
    {
      text: 'All sidecars that the driver needs',
      command: 'holdfast sidecar --csi-address=/run/csi/csi.sock --kubeconfig=kubeconfig',
    },
    {
      text: 'One of several replicas, with a limit for one role',
      command: 'holdfast sidecar --leader-election --http-endpoint=:8080 --provisioner-worker-threads=20',
    },
  ],
  check: (config) => [
    ...checkStandardConfig(config),
    ...(config.leaderElectionShared && !config.leaderElection
      ? ['--leader-election-shared needs --leader-election']
      : []),
    ...(config.controllers.length === 0 ? ['--controllers has to name at least one role'] : []),
  ],
})

/** All sidecars of one driver in one process. */
export const sidecarCommand = createCommandModule(command, (config, world, _positionals, given) => {
  const { provisioner, attacher, resizer, snapshotter, healthMonitor, sweep, heal } = roleConfigsOf(config, given)
  const makers: Record<
    (typeof config.controllers)[number],
    (kubernetes: KubernetesConnection, namespace: string) => RoleDefinition
  > = {
    provisioner: (kubernetes, namespace) =>
      ifVolumesCanBeMade(
        provisionerRole(provisioner, provisionerPlace(provisioner, world, kubernetes, namespace), world.random),
      ),
    attacher: () => attacherRole(attacher),
    resizer: () => resizerRole(resizer),
    snapshotter: () => snapshotterRole(placeSnapshotter(snapshotter, world)),
    'health-monitor': () => healthMonitorRole(healthMonitor),
    heal: () => healRole(heal),
    sweep: (_kubernetes, namespace) => sweepRole(sweep, { namespace }),
  }
  return runRoles(
    {
      program: 'holdfast-sidecar',
      config,
      callTimeoutMs: attacher.timeoutMs,
      sharedElection: config.leaderElectionShared,
      roles: (kubernetes, namespace) =>
        [...new Set(config.controllers)].map((name) => makers[name](kubernetes, namespace)),
      describe: describeMissing,
    },
    world,
  )
})

const describeMissing = (facts: DriverFacts): string[] =>
  findMissingRoles(facts).map(({ role, because }) => `not in this version: ${role} (${because})`)
