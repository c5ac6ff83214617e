import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { hasFinalizer } from '../../src/api/finalizers.ts'
import type { PersistentVolumeClaim } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../src/api/kinds/persistent-volume.ts'
import { NAMESPACE, NODE, NODE_ID, TOPOLOGY } from './play-cluster.ts'
import { DRIVER } from './sidecar-stage.ts'
import type { SidecarStage } from './sidecar-stage.ts'

export const SANITISED_DRIVER = DRIVER.replaceAll('.', '-')
const PROVISIONER_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer'
const ATTACHER_FINALIZER = `external-attacher/${SANITISED_DRIVER}`
const NODE_ID_ANNOTATION = 'csi.alpha.kubernetes.io/node-id'
const IDENTITY_ATTRIBUTE = 'storage.kubernetes.io/csiProvisionerIdentity'

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

export type ProvisionOptions = {
  /** Volumes are made with the attacher's finalizer, as one process with both roles does, to spare the first attach a write. */
  heldForAttacher?: boolean
}

/** From claim to bound volume; every second claim waits for its scheduler first. */
export async function provision(
  { cluster, backend }: SidecarStage,
  prefix: string,
  count: number,
  { heldForAttacher = false }: ProvisionOptions = {},
): Promise<PersistentVolume[]> {
  const wanted = names(prefix, count)
  await Promise.all(wanted.map((name, index) => cluster.claim(name, index % 2 === 0 ? 'immediate' : 'delayed')))
  const claimOf = (name: string): PersistentVolumeClaim | undefined => cluster.claims.get(`${NAMESPACE}/${name}`)
  await cluster.until(`${count} claims are bound`, () =>
    wanted.every((name) => claimOf(name)?.status?.phase === 'Bound'),
  )
  const made = wanted.map((name) => {
    const claim = claimOf(name)
    const volume = cluster.volumes.get(`pvc-${claim?.metadata.uid}`)
    ok(claim && volume, `${name} has a volume`)
    checkVolume(volume, claim)
    deepEqual(volume.metadata.finalizers?.toSorted(), [
      ...(heldForAttacher ? [ATTACHER_FINALIZER] : []),
      PROVISIONER_FINALIZER,
      'kubernetes.io/pv-protection',
    ])
    return volume
  })
  const handles = (await backend()).map(({ handle }) => handle)
  for (const { spec } of made) ok(handles.includes(spec.csi?.volumeHandle ?? ''), 'the driver has it')
  const succeeded = (name: string): boolean =>
    [...cluster.events.all()].some(
      (event) =>
        event.involvedObject.name === name &&
        event.reason === 'ProvisioningSucceeded' &&
        event.source?.component?.startsWith(DRIVER) === true,
    )
  await cluster.until('each claim has been told of its volume', () => wanted.every(succeeded))
  return made
}

// Field by field, as whoever reads volumes of the upstream provisioner expects them.
function checkVolume({ metadata, spec }: PersistentVolume, claim: PersistentVolumeClaim): void {
  deepEqual(metadata.annotations, {
    'pv.kubernetes.io/provisioned-by': DRIVER,
    'volume.kubernetes.io/provisioner-deletion-secret-name': '',
    'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
  })
  equal(metadata.labels, undefined)
  const { claimRef, csi, ...rest } = spec
  deepEqual(rest, {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    volumeMode: 'Filesystem',
    mountOptions: ['noatime'],
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: claim.spec.storageClassName,
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          {
            matchExpressions: Object.entries(TOPOLOGY).map(([key, value]) => ({
              key,
              operator: 'In',
              values: [value],
            })),
          },
        ],
      },
    },
  })
  const { resourceVersion, ...who } = claimRef ?? {}
  deepEqual(who, {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace: NAMESPACE,
    name: claim.metadata.name,
    uid: claim.metadata.uid,
  })
  match(resourceVersion ?? '', /^\d+$/)
  const { volumeHandle, volumeAttributes, ...source } = csi ?? { driver: '' }
  deepEqual(source, { driver: DRIVER, fsType: 'ext4' })
  ok(volumeHandle)
  match(volumeAttributes?.[IDENTITY_ATTRIBUTE] ?? '', new RegExp(`^\\d{13}-\\d{1,4}-${DRIVER.replaceAll('.', '\\.')}$`))
}

/** Wants all of them on the node, and sees them there in the API and in the driver. */
export async function attach({ cluster, backend }: SidecarStage, volumes: readonly PersistentVolume[]): Promise<void> {
  await Promise.all(volumes.map((volume) => cluster.attach(volume)))
  const wanted = new Set(volumes.map(({ metadata }) => metadata.name))
  const ours = () => [...cluster.attachments.all()].filter(({ spec }) => wanted.has(spec.source.persistentVolumeName))
  await cluster.until(
    `${volumes.length} volumes are attached`,
    () => ours().filter(({ status }) => status?.attached === true).length === volumes.length,
  )
  for (const { metadata, spec } of ours()) {
    equal(spec.nodeName, NODE)
    deepEqual(metadata.finalizers, [ATTACHER_FINALIZER])
    equal(metadata.annotations?.[NODE_ID_ANNOTATION], NODE_ID)
  }
  await cluster.until('the volumes are protected', () =>
    volumes.every(({ metadata }) =>
      hasFinalizer(cluster.volumes.get(metadata.name ?? '') ?? { metadata: {} }, ATTACHER_FINALIZER),
    ),
  )
  const published = new Map((await backend()).map(({ handle, nodes }) => [handle, nodes]))
  for (const { spec } of volumes) deepEqual(published.get(spec.csi?.volumeHandle ?? ''), [NODE_ID])
}

export async function detach({ cluster, backend }: SidecarStage, volumes: readonly PersistentVolume[]): Promise<void> {
  const wanted = new Set(volumes.map(({ metadata }) => metadata.name))
  const ours = () => [...cluster.attachments.all()].filter(({ spec }) => wanted.has(spec.source.persistentVolumeName))
  await Promise.all(ours().map((attachment) => cluster.detach(attachment)))
  await cluster.until('no attachment is left', () => ours().length === 0)
  const handles = new Set(volumes.map(({ spec }) => spec.csi?.volumeHandle))
  for (const { handle, nodes } of await backend()) if (handles.has(handle)) deepEqual(nodes, [])
}

/** Gives the claims up; the volumes go with them, here and in the driver. */
export async function remove({ cluster, backend }: SidecarStage, volumes: readonly PersistentVolume[]): Promise<void> {
  await Promise.all(volumes.map(({ spec }) => cluster.deleteClaim(spec.claimRef?.name ?? '')))
  await cluster.until('no volume is left', () =>
    volumes.every(({ metadata }) => cluster.volumes.get(metadata.name ?? '') === undefined),
  )
  const handles = new Set(volumes.map(({ spec }) => spec.csi?.volumeHandle))
  deepEqual(
    (await backend()).filter(({ handle }) => handles.has(handle)),
    [],
  )
}
