import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_STORAGE_CAPACITIES } from '../api/kinds/csi-storage-capacity.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { STORAGE_CLASSES } from '../api/kinds/storage-class.ts'
import type { StorageClass } from '../api/kinds/storage-class.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../api/kinds/volume-attributes-class.ts'
import { VOLUME_SNAPSHOT_CLASSES } from '../api/kinds/volume-snapshot.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import { compareQuantities } from '../api/quantity.ts'
import type { ResourceType } from '../api/resource-type.ts'
import { classNameOf, NO_PROVISIONER, VAC_PROTECTION } from '../storage/names.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainFinalizers } from './explain-finalizers.ts'
import type { Link } from './explanation.ts'
import { explainWaiting, findCandidates } from './find-candidates.ts'
import type { Candidates, ExplainObject } from './find-candidates.ts'
import { isDriverKnown } from './is-driver-known.ts'
import { absentLink, blockedLink, idOf, readyLink, unseenLink, waitingLink } from './links.ts'
import { SCOPE_REASONS } from './scope-reasons.ts'
import type { WhyReason } from './why-reason.ts'

export type ClassQuestion = { readonly reader: ClusterReader; readonly explainObject: ExplainObject }

/** Whether volumes of the class can be created, and which of its claims are waiting. */
export const explainStorageClass = (name: string, question: ClassQuestion): Promise<Link> =>
  explainClass(name, question, {
    type: STORAGE_CLASSES,
    driverOf: ({ provisioner }) => provisioner,
    obstaclesOf: async (storageClass) => [
      ...(await outOfTopology(storageClass, question.reader)),
      ...(await outOfCapacity(storageClass, question.reader)),
    ],
    usersOf: ({ claims }) => claims.filter((claim) => classNameOf(claim) === name && claim.status?.phase !== 'Bound'),
  })

export const explainSnapshotClass = (name: string, question: ClassQuestion): Promise<Link> =>
  explainClass(name, question, {
    type: VOLUME_SNAPSHOT_CLASSES,
    driverOf: ({ driver }) => driver,
    usersOf: ({ snapshots }) => snapshots.filter(({ spec }) => spec.volumeSnapshotClassName === name),
  })

export const explainAttributesClass = (name: string, question: ClassQuestion): Promise<Link> =>
  explainClass(name, question, {
    type: VOLUME_ATTRIBUTES_CLASSES,
    driverOf: ({ driverName }) => driverName,
    usersOf: ({ claims }) => claims.filter(({ spec }) => spec.volumeAttributesClassName === name),
    explainLeaving: async (attributesClass) => {
      const users = ((await question.reader.list(PERSISTENT_VOLUME_CLAIMS)) ?? []).filter(
        ({ spec, status }) =>
          spec.volumeAttributesClassName === name || status?.currentVolumeAttributesClassName === name,
      )
      const owner = { [VAC_PROTECTION]: 'the controller that protects VolumeAttributesClasses' }
      return users.length === 0
        ? explainFinalizers(attributesClass, owner)
        : waitingLink(idOf(attributesClass), 'Terminating', SCOPE_REASONS.classInUse(listed(users)), {
            isLeaving: true,
          })
    },
  })

const MOST_LISTED = 5
const listed = (claims: readonly KubeObject[]): string => {
  const names = claims.slice(0, MOST_LISTED).map((claim) => `claim ${keyOf(claim)}`)
  return [...names, ...(claims.length > MOST_LISTED ? [`${claims.length - MOST_LISTED} more`] : [])].join(', ')
}

type ClassKind<T> = {
  readonly type: ResourceType<T & KubeObject>
  driverOf(object: T): string
  usersOf(candidates: Candidates): readonly KubeObject[]
  obstaclesOf?(object: T): Promise<WhyReason[]>
  explainLeaving?(object: T): Promise<Link>
}

async function explainClass<T extends KubeObject>(
  name: string,
  { reader, explainObject }: ClassQuestion,
  { type, driverOf, usersOf, obstaclesOf, explainLeaving }: ClassKind<T>,
): Promise<Link> {
  const found = await reader.get(type, { name })
  if (found.kind === 'absent') return absentLink({ kind: type.kind, name })
  if (found.kind === 'unseen') return unseenLink({ kind: type.kind, name })
  const [object, state, driver] = [idOf(found.object), 'present', driverOf(found.object)]
  if (found.object.metadata.deletionTimestamp !== undefined && explainLeaving) return explainLeaving(found.object)
  if (driver !== NO_PROVISIONER && !(await isDriverKnown(driver, reader)))
    return waitingLink(object, state, SCOPE_REASONS.classNotInstalled(driver, type.kind, name))
  const obstacles = (await obstaclesOf?.(found.object)) ?? []
  const links = [
    ...obstacles.map((reason) => waitingLink(object, state, reason, { title: TITLES[reason.code] ?? 'itself' })),
    ...(await explainWaiting(usersOf(await findCandidates(reader)), explainObject, reader)),
  ]
  if (links.length > 0) return blockedLink(object, state, links)
  const reason = SCOPE_REASONS.nothingWaits('can be used, and nothing is waiting for it')
  return readyLink(object, state, { reason })
}

const TITLES: Readonly<Record<string, string>> = {
  TopologyNowhere: 'a node in its topology',
  NoCapacity: 'capacity',
}

async function outOfTopology({ metadata, allowedTopologies = [] }: StorageClass, reader: ClusterReader) {
  const nodes = await reader.list(NODES)
  if (!nodes || allowedTopologies.length === 0) return []
  const isAllowed = nodes.some(({ metadata: { labels = {} } }) =>
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
    ),
  )
  return isAllowed ? [] : [SCOPE_REASONS.topologyNowhere(metadata.name ?? '')]
}

/** Only for a driver whose CSIDriver says that it reports its capacity. */
async function outOfCapacity({ metadata: { name = '' }, provisioner }: StorageClass, reader: ClusterReader) {
  const driver = await reader.get(CSI_DRIVERS, { name: provisioner })
  if (driver.kind !== 'found' || driver.object.spec.storageCapacity !== true) return []
  const capacities = await reader.list(CSI_STORAGE_CAPACITIES)
  const hasRoom = capacities?.some(
    ({ storageClassName, capacity, maximumVolumeSize }) =>
      storageClassName === name && compareQuantities(maximumVolumeSize ?? capacity ?? '0', '0') > 0,
  )
  return capacities === undefined || hasRoom ? [] : [SCOPE_REASONS.noCapacity(provisioner, name)]
}
