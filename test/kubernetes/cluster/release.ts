import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ignoreAlreadyExists, ignoreNotFound } from '../../../src/api/api-error.ts'
import { CSI_NODES } from '../../../src/api/kinds/csi-node.ts'
import { DAEMON_SETS } from '../../../src/api/kinds/daemon-set.ts'
import type { DaemonSet } from '../../../src/api/kinds/daemon-set.ts'
import { DEPLOYMENTS } from '../../../src/api/kinds/deployment.ts'
import { LEASES } from '../../../src/api/kinds/lease.ts'
import type { Lease } from '../../../src/api/kinds/lease.ts'
import { NAMESPACES } from '../../../src/api/kinds/namespace.ts'
import { PODS } from '../../../src/api/kinds/pod.ts'
import type { Pod } from '../../../src/api/kinds/pod.ts'
import { STATEFUL_SETS } from '../../../src/api/kinds/stateful-set.ts'
import type { KubeObject } from '../../../src/api/object.ts'
import type { ResourceType } from '../../../src/api/resource-type.ts'
import { CHART, helm } from './chart.ts'
import type { RunningCluster } from './start-cluster.ts'

/** Containers start slowly on a machine that does much else. */
export const POD_LIMIT = { limitMs: 240_000 }

export type ReleaseSpec = {
  readonly name: string
  readonly namespace: string
  /** Name of the driver. */
  readonly driver: string
  /** Of the chart. */
  readonly values: object
}

/** One installation of the chart. */
export interface Release extends ReleaseSpec {
  /** The path of a file with `values`. */
  readonly valuesFile: string
  /** Installs or upgrades the chart, with the values and these settings of Helm. */
  install(...settings: string[]): Promise<void>
  /** Goes back to the revision before the last `install`. */
  rollBack(): Promise<void>
  uninstall(): Promise<void>
  /** Until every workload of the release runs its current pods, and no others. */
  untilRolledOut(): Promise<void>
  /** Until the driver is registered on the node. */
  untilRegistered(node: string): Promise<void>
  /** Without those that are being deleted. */
  pods(component: 'csi-controller' | 'csi-node' | 'snapshot-controller'): Promise<Pod[]>
  leases(): Promise<Lease[]>
}

/** Creates the namespace of the release; `install` does the rest. */
export async function openRelease(cluster: RunningCluster, spec: ReleaseSpec): Promise<Release> {
  const { api, until, kubeconfig } = cluster
  const { name, namespace, driver } = spec
  await api
    .create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    .catch(ignoreAlreadyExists)
  const valuesFile = join(cluster.backend, '..', `values-${name}.json`)
  writeFileSync(valuesFile, JSON.stringify(spec.values))

  const untilCurrent = async <T extends KubeObject>(
    type: ResourceType<T>,
    workload: string,
    isCurrent: (found: T | undefined) => boolean,
  ): Promise<void> => {
    const ref = { namespace, name: workload }
    if ((await api.get(type, ref).catch(ignoreNotFound)) !== undefined) await until(type, ref, isCurrent, POD_LIMIT)
  }
  const untilRolledOut = async (): Promise<void> => {
    await untilCurrent(DEPLOYMENTS, `${name}-controller`, isRolledOut)
    await untilCurrent(STATEFUL_SETS, `${name}-controller`, isRolledOut)
    await untilCurrent(DEPLOYMENTS, `${name}-snapshot-controller`, isRolledOut)
    await untilCurrent(DAEMON_SETS, `${name}-node`, isOnEveryNode)
  }
  const runHelm = async (...args: string[]): Promise<void> => {
    await helm([...args, `--namespace=${namespace}`], { KUBECONFIG: kubeconfig })
    await untilRolledOut()
  }
  return {
    ...spec,
    valuesFile,
    untilRolledOut,
    install: (...settings) => runHelm('upgrade', '--install', name, CHART, `--values=${valuesFile}`, ...settings),
    rollBack: () => runHelm('rollback', name),
    uninstall: () => runHelm('uninstall', name, '--wait'),
    untilRegistered: async (node) =>
      void (await until(
        CSI_NODES,
        { name: node },
        (found) => found?.spec.drivers?.some((registered) => registered.name === driver) ?? false,
        POD_LIMIT,
      )),
    pods: async (component) => {
      const labelSelector = `app.kubernetes.io/component=${component},app.kubernetes.io/instance=${name}`
      const { items } = await api.list(PODS, { namespace, labelSelector })
      return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    },
    leases: async () => [...(await api.list(LEASES, { namespace })).items],
  }
}

function isOnEveryNode(set: DaemonSet | undefined): boolean {
  const { observedGeneration, desiredNumberScheduled = 0, updatedNumberScheduled, numberReady } = set?.status ?? {}
  return (
    observedGeneration === set?.metadata.generation &&
    desiredNumberScheduled > 0 &&
    updatedNumberScheduled === desiredNumberScheduled &&
    numberReady === desiredNumberScheduled
  )
}

type Rollout = {
  readonly metadata: { readonly generation?: number }
  readonly spec?: { readonly replicas?: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly updatedReplicas?: number
    readonly replicas?: number
    readonly availableReplicas?: number
  }
}

function isRolledOut(workload: Rollout | undefined): boolean {
  const { metadata, spec, status } = workload ?? { metadata: {} }
  const wanted = spec?.replicas ?? 1
  return (
    status?.observedGeneration === metadata.generation &&
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted
  )
}
