import type { Api } from '../api/api.ts'
import type { Node } from '../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../api/kinds/persistent-volume.ts'
import type { Pod } from '../api/kinds/pod.ts'
import type { VolumeAttachment } from '../api/kinds/volume-attachment.ts'
import type { VolumeSnapshot } from '../api/kinds/volume-snapshot.ts'
import { formatObject, formatRef, keyOf, keyOfRef } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import { formatTimestamp } from '../api/timestamps.ts'
import { traceIdOf } from '../base/tracing/index.ts'
import { explain, parseTarget } from '../explain/index.ts'
import type { Explanation, Link, Target } from '../explain/index.ts'
import { classNameOf } from '../storage/names.ts'
import { claimUidOf } from '../storage/life-of.ts'
import { isFinishedPod, podClaimKeysOf } from '../storage/pod-claims.ts'
import { claimKeyOf } from './caches.ts'
import type { Caches } from './caches.ts'
import type { CallLog } from './call-log.ts'
import { finalizersOf } from './finalizers.ts'
import type { LifeRecorder } from './life/life-recorder.ts'
import { lifeOf } from './life/volume-life.ts'
import { driverPage } from './driver-page.ts'
import { nodePage } from './node-page.ts'
import type { ChainLink, Fact, ObjectAnswer, ObjectPage, RelatedObject } from './protocol.ts'
import type { SpanLog } from './span-log.ts'
import { linkTo, targetOf } from './targets.ts'
import { unusedSince } from './unused-since.ts'
import { accessModesCell } from './cells.ts'
import { stateOf as claimState } from './tables/claim-table.ts'
import { stateOf as nodeState } from './tables/node-table.ts'
import { stateOf as volumeState } from './tables/volume-table.ts'

export type PageParts = {
  readonly api: Api
  readonly caches: Caches
  readonly recorder: LifeRecorder
  /** Absent if the calls are made by other processes. */
  readonly calls: CallLog | undefined
  /** Absent if the parts run in other processes. */
  readonly spans: SpanLog | undefined
  readonly signal: AbortSignal
  /** For the usage of a claim, which its node has to measure. */
  readonly usageSignal: AbortSignal
  readonly nowMs: number
}

/** Everything about the object of a target such as `pvc/default/data` or `pv/pvc-1`. */
export async function readObjectPage(words: string, parts: PageParts): Promise<ObjectAnswer> {
  const { api, signal, usageSignal, nowMs } = parts
  const [kind = '', ...rest] = words.split('/')
  const [namespace, name] = rest.length > 1 ? rest : ['', rest[0]]
  const target = parseTarget(kind, name ?? '')
  if (typeof target === 'string') return { problem: target }
  const key = keyOfRef({ namespace: namespace ?? '', name: target.name })
  const answer = await explain(target, { api, namespace: namespace ?? '', signal, usageSignal, nowMs })
  const explanation = answer.kind === 'explained' ? answer.explanation : undefined
  const page = ownPageOf(target, parts) ?? (explanation && pageOf(target, key, explanation, parts))
  if (page) return { page: explanation ? withExplanation(page, explanation) : page }
  return {
    problem:
      answer.kind === 'unseen'
        ? `You are not allowed to read ${words}.`
        : `${words} does not exist. It may have been deleted.`,
  }
}

/** The page of a kind that is not about one volume. A driver without a CSIDriver has one, too. */
function ownPageOf({ kind, name }: Target, { caches, calls }: PageParts): ObjectPage | undefined {
  if (kind === 'Node') return nodePage(name, caches)
  return kind === 'CSIDriver' ? driverPage(name, caches, calls) : undefined
}

const withExplanation = (page: ObjectPage, explanation: Explanation): ObjectPage => ({
  ...page,
  explanation: { ...explanation, chain: withTargets(explanation.chain) },
  ...(explanation.usage ? { usage: explanation.usage } : {}),
  shows: [...new Set([...page.shows, ...idsIn(explanation.chain)])],
})

function pageOf(target: Target, key: string, explanation: Explanation, parts: PageParts): ObjectPage {
  const { caches, recorder, calls, spans } = parts
  const joined = joinObjects(target, key, caches)
  const { claim, volume, attachments, nodes, pods, snapshots } = joined
  const objects: KubeObject[] = [claim, volume, ...attachments, ...nodes, ...pods, ...snapshots].filter(
    (each) => each !== undefined,
  )
  const seenCalls = volume && calls?.callsFor(volume.metadata.name ?? '', volume.spec.csi?.volumeHandle)
  const claimUid = claim?.metadata.uid ?? claimUidOf(volume) ?? ''
  const isVolume = target.kind === 'PersistentVolumeClaim' || target.kind === 'PersistentVolume'
  return {
    kind: target.kind,
    name: key,
    facts: factsOf(joined, recorder),
    lists: [],
    related: objects.map(relatedOf),
    finalizers: objects.flatMap(finalizersOf),
    ...(isVolume
      ? { life: lifeOf({ ...joined, spans: spans?.spansOf(claimUid) ?? [], events: explanation.events, recorder }) }
      : {}),
    ...(seenCalls ? { calls: seenCalls } : {}),
    shows: objects.map(formatObject),
  }
}

/** The page of each object in the chain. An object that does not exist has none. */
const withTargets = ({ dependsOn, ...link }: Link): ChainLink => {
  const { kind, namespace = '', name } = link.object
  const target = link.state === 'absent' ? undefined : targetOf(kind, keyOfRef({ namespace, name }))
  return { ...link, ...(target === undefined ? {} : { target }), dependsOn: dependsOn.map(withTargets) }
}

const idsIn = ({ object, dependsOn }: Link): string[] => [formatRef(object.kind, object), ...dependsOn.flatMap(idsIn)]

type Joined = {
  readonly claim: PersistentVolumeClaim | undefined
  readonly volume: PersistentVolume | undefined
  readonly attachments: readonly VolumeAttachment[]
  /** Where the volume is attached, or its pods run. */
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  readonly snapshots: readonly VolumeSnapshot[]
}

/** The claim, volume, attachments, nodes, pods and snapshots that belong together, whichever of them was asked about. */
function joinObjects({ kind, name }: Target, key: string, caches: Caches): Joined {
  const claimKey = claimKeyFor(kind, key, name, caches)
  const claim = claimKey === undefined ? undefined : caches.claims.get(claimKey)
  const attached =
    kind === 'VolumeAttachment' ? caches.attachments.get(name)?.spec.source.persistentVolumeName : undefined
  const volumeName = kind === 'PersistentVolume' ? name : (attached ?? claim?.spec.volumeName)
  const pod = kind === 'Pod' ? caches.pods.get(key) : undefined
  const byAge = <T extends KubeObject>(objects: readonly T[]): T[] =>
    [...objects].sort((one, other) =>
      (one.metadata.creationTimestamp ?? '').localeCompare(other.metadata.creationTimestamp ?? ''),
    )
  const attachments = volumeName === undefined ? [] : byAge(caches.attachmentsOfVolume(volumeName))
  const pods = pod ? [pod] : claimKey === undefined ? [] : byAge(caches.podsOfClaim(claimKey))
  const nodeNames = new Set([...attachments, ...pods].map(({ spec }) => spec.nodeName ?? ''))
  return {
    claim,
    volume: volumeName === undefined ? undefined : caches.volumes.get(volumeName),
    attachments,
    nodes: Array.from(nodeNames, (each) => caches.nodes.get(each)).filter((each) => each !== undefined),
    pods,
    snapshots: [...caches.snapshots.all()].filter(
      (snapshot) =>
        (kind === 'VolumeSnapshot' && keyOf(snapshot) === key) ||
        (claim !== undefined &&
          snapshot.metadata.namespace === claim.metadata.namespace &&
          snapshot.spec.source.persistentVolumeClaimName === claim.metadata.name),
    ),
  }
}

function claimKeyFor(kind: Target['kind'], key: string, name: string, caches: Caches): string | undefined {
  switch (kind) {
    case 'PersistentVolumeClaim':
      return key
    case 'PersistentVolume': {
      const volume = caches.volumes.get(name)
      return volume && claimKeyOf(volume)
    }
    case 'VolumeAttachment': {
      const volume = caches.volumes.get(caches.attachments.get(name)?.spec.source.persistentVolumeName ?? '')
      return volume && claimKeyOf(volume)
    }
    case 'Pod': {
      const pod = caches.pods.get(key)
      return pod && podClaimKeysOf(pod)[0]
    }
    case 'VolumeSnapshot': {
      const snapshot = caches.snapshots.get(key)
      const source = snapshot?.spec.source.persistentVolumeClaimName
      return source === undefined
        ? undefined
        : keyOfRef({ namespace: snapshot?.metadata.namespace ?? '', name: source })
    }
    default:
      return undefined
  }
}

function factsOf({ claim, volume, pods }: Joined, recorder: LifeRecorder): Fact[] {
  const users = pods.filter((pod) => !isFinishedPod(pod)).map((pod) => linkTo('Pod', keyOf(pod)))
  const unused = unusedSince({ claim, volume, pods }, recorder)
  const claimUid = claim?.metadata.uid ?? claimUidOf(volume)
  const className = claim ? classNameOf(claim) : volume ? classNameOf(volume) : ''
  const driver = volume?.spec.csi?.driver
  const facts: [string, Fact[1] | undefined][] = [
    ['Requested', claim?.spec.resources?.requests?.['storage']],
    ['Capacity', volume?.spec.capacity?.['storage']],
    ['Used by', claim ? (users.length > 0 ? users : 'no pod') : undefined],
    ['Unused since', unused.kind === 'unused' && (claim || volume) ? formatSince(unused.sinceMs) : undefined],
    ['Class', className === '' ? undefined : linkTo('StorageClass', className)],
    ['Access modes', accessModesCell(volume?.spec.accessModes ?? claim?.spec.accessModes)],
    ['Volume mode', volume?.spec.volumeMode ?? claim?.spec.volumeMode],
    ['Reclaim policy', volume?.spec.persistentVolumeReclaimPolicy],
    ['Driver', driver === undefined ? undefined : linkTo('CSIDriver', driver)],
    ['Volume handle', volume?.spec.csi?.volumeHandle],
    ['Trace ID', claimUid === undefined ? undefined : traceIdOf(claimUid)],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, value]] : []))
}

const formatSince = (ms: number | undefined): string =>
  ms === undefined ? 'before the console started' : formatTimestamp(ms)

function relatedOf(object: KubeObject): RelatedObject {
  const target = targetOf(object.kind, keyOf(object))
  return {
    id: formatObject(object),
    kind: object.kind,
    name: keyOf(object),
    state: stateOf(object),
    ...(target === undefined ? {} : { target }),
  }
}

function stateOf(object: KubeObject): string {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating'
  switch (object.kind) {
    case 'PersistentVolumeClaim':
      return claimState(object as PersistentVolumeClaim)
    case 'PersistentVolume':
      return volumeState(object as PersistentVolume)
    case 'VolumeAttachment': {
      const { spec, status } = object as VolumeAttachment
      return `${status?.attached ? 'attached' : 'not attached'} to ${spec.nodeName}`
    }
    case 'Node':
      return nodeState(object as Node)
    case 'VolumeSnapshot':
      return (object as VolumeSnapshot).status?.readyToUse ? 'Ready' : 'Pending'
    default:
      return (object as Pod).status?.phase ?? ''
  }
}
