import type { Api } from '../../../api/api.ts'
import { CONTROLLER_REVISIONS } from '../../../api/kinds/controller-revision.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { STATEFUL_SETS } from '../../../api/kinds/stateful-set.ts'
import type { StatefulSet } from '../../../api/kinds/stateful-set.ts'
import type { Random } from '../../../base/random.ts'
import { ignoreRefusal, pick } from '../../../testing/index.ts'
import type { UserChange } from '../../../testing/index.ts'
import { NAMESPACE } from './describe-world.ts'

const SET = { namespace: NAMESPACE, name: 'web' }
const LABELS = { app: SET.name }
const REPLICAS = [0, 1, 2, 3]
const RETENTION = ['Retain', 'Delete'] as const

/** Whether a StatefulSet creates a pod of this name again. Another pod must not take its volume. */
export const isOfSet = ({ metadata }: Pod): boolean => metadata.name?.startsWith(`${SET.name}-`) ?? false

/** What people do with a StatefulSet. */
export function setChanges(random: Random, version: string): UserChange<Api>[] {
  const replicas = pick(random, REPLICAS)
  const patch = (value: object) => (api: Api) => api.patch(STATEFUL_SETS, SET, { type: 'merge', value })
  const policy = pick(random, ['OrderedReady', 'Parallel'] as const)
  const retention = { whenScaled: pick(random, RETENTION), whenDeleted: pick(random, RETENTION) }
  const partition = random.below(3)
  return [
    [
      4,
      {
        what: `makes a StatefulSet of ${replicas} (${policy}, ${JSON.stringify(retention)})`,
        make: (api) => api.create(STATEFUL_SETS, setOf(replicas, policy, retention)),
      },
    ],
    [3, { what: `scales the StatefulSet to ${replicas}`, make: patch({ spec: { replicas } }) }],
    [
      2,
      {
        what: `rolls the StatefulSet to ${version}, from ordinal ${partition}`,
        make: patch({
          spec: {
            template: { metadata: { annotations: { version } } },
            updateStrategy: { rollingUpdate: { partition } },
          },
        }),
      },
    ],
    [
      1,
      {
        what: `sets the claim retention to ${JSON.stringify(retention)}`,
        make: patch({ spec: { persistentVolumeClaimRetentionPolicy: retention } }),
      },
    ],
    [1, { what: 'deletes the StatefulSet', make: (api) => api.delete(STATEFUL_SETS, SET) }],
    [
      1,
      {
        what: 'deletes the StatefulSet, but not its pods',
        make: (api) => api.delete(STATEFUL_SETS, SET, { propagationPolicy: 'Orphan' }),
      },
    ],
  ]
}

const setOf = (
  replicas: number,
  podManagementPolicy: 'OrderedReady' | 'Parallel',
  persistentVolumeClaimRetentionPolicy: object,
): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: SET,
  spec: {
    replicas,
    podManagementPolicy,
    persistentVolumeClaimRetentionPolicy,
    serviceName: SET.name,
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'busybox', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      },
    ] as never,
  },
})

/** What is wrong with the StatefulSet after everything came to rest. */
export async function setProblems(api: Api): Promise<string[]> {
  const sets = (await api.list(STATEFUL_SETS)).items
  const pods = (await api.list(PODS)).items.filter(isOfSet)
  const owners = [...sets, ...pods]
  const problems: string[] = []
  for (const { metadata, spec, status } of sets) {
    const { replicas = 1, updateStrategy } = spec ?? {}
    const partition = updateStrategy?.rollingUpdate?.partition ?? 0
    if (metadata.deletionTimestamp) problems.push('the StatefulSet is not gone')
    const names = pods.map((pod) => pod.metadata.name ?? '').sort()
    const wanted = Array.from({ length: replicas }, (_, ordinal) => `${SET.name}-${ordinal}`)
    if (names.join() !== wanted.join()) problems.push(`of ${replicas} replicas there are ${names.join()}`)
    for (const [counter, count] of Object.entries({
      replicas: status?.replicas,
      readyReplicas: status?.readyReplicas ?? 0,
      availableReplicas: status?.availableReplicas ?? 0,
    }))
      if (count !== replicas) problems.push(`${counter} is ${count}, not ${replicas}`)
    if (status?.observedGeneration !== metadata.generation) problems.push('the last change was not observed')
    for (const { metadata: pod } of pods) {
      if (pod.ownerReferences?.[0]?.uid !== metadata.uid) problems.push(`${pod.name} is not owned`)
      const isRolled = pod.labels?.['controller-revision-hash'] === status?.updateRevision
      if (Number(pod.name?.split('-').at(-1)) >= partition && !isRolled)
        problems.push(`${pod.name} is of an old revision`)
    }
  }
  for (const { metadata } of (await api.list(PERSISTENT_VOLUME_CLAIMS)).items)
    for (const owner of metadata.ownerReferences ?? [])
      if (['Pod', 'StatefulSet'].includes(owner.kind) && !owners.some((one) => one.metadata.uid === owner.uid))
        if (metadata.name?.startsWith(`data-${SET.name}-`))
          problems.push(`${metadata.name} has outlived its owner ${owner.name}`)
  return problems
}

/** Before its pods and claims, which it would create again. Revisions that were orphaned with the pods belong to nobody. */
export async function deleteSet(api: Api): Promise<void> {
  await api.delete(STATEFUL_SETS, SET).catch(ignoreRefusal)
  for (const { metadata } of (await api.list(CONTROLLER_REVISIONS)).items)
    if ((metadata.ownerReferences ?? []).length === 0)
      await api.delete(CONTROLLER_REVISIONS, { namespace: NAMESPACE, name: metadata.name ?? '' }).catch(ignoreRefusal)
}

export const SET_KINDS = [STATEFUL_SETS, CONTROLLER_REVISIONS]
