import { NODES } from '../api/kinds/node.ts'
import type { Node } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { findTimestamp, formatTimestamp } from '../api/timestamps.ts'
import { taintOutOfService } from '../api/node-taints.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { Link, RunningClock } from './explanation.ts'
import { pathsToCauses } from './links.ts'
import { findActor, findSidecarLease } from './sidecar-lease.ts'
import { nounOf } from './format-sentence.ts'

const MINUTE_MS = 60_000
/** maxWaitForUnmountDuration of the attach/detach controller. */
const FORCE_DETACH_MS = 6 * MINUTE_MS
/** The longest pause between two attempts: --retry-interval-max of the sidecars, and the kubelet's limit. */
const SIDECAR_RETRY_MS = 5 * MINUTE_MS
const KUBELET_RETRY_MS = 122_000
// A leader renews its lease every five seconds.
const RENEWAL_LATE_MS = 10_000

/** Every clock that runs towards the end of the wait, as far as objects and events show when it started. */
export async function findClocks(chain: Link, reader: ClusterReader): Promise<RunningClock[]> {
  const clocks: RunningClock[] = []
  for (const path of pathsToCauses(chain))
    for (const clock of await clocksOf(path, reader))
      if (!clocks.some(({ what }) => what === clock.what)) clocks.push(clock)
  return clocks
}

async function clocksOf(path: readonly Link[], reader: ClusterReader): Promise<RunningClock[]> {
  const cause = path.at(-1)
  if (!cause) return []
  switch (cause.reason?.code) {
    case 'NodeGoneWithVolume':
    case 'NodeSilentWithVolume':
      return forceDetach(path, cause, reader)
    case 'UsesVolume':
    case 'NodeNotReady':
      return eviction(path, reader)
    default:
      return [...(await retry(cause, reader)), ...(await takeover(cause, reader))]
  }
}

/** Detaching starts when the last pod on the old node is gone; the pod that is waiting was refused after that. */
async function forceDetach(
  path: readonly Link[],
  { object, reason }: Link,
  reader: ClusterReader,
): Promise<RunningClock[]> {
  const attachment = path.findLast((link) => link.object.kind === 'VolumeAttachment')
  const pods = path.filter((link) => link.object.kind === 'Pod')
  const events = (await Promise.all(pods.map((pod) => reader.eventsOf(pod.object)))).flat()
  const refusedMs = events
    .filter(({ reason: code, message = '' }) => code === 'FailedAttachVolume' && EXCLUSIVE.test(message))
    .flatMap(({ firstTimestamp, eventTime }) => findTimestamp(firstTimestamp) ?? findTimestamp(eventTime) ?? [])
  const startedMs = Math.min(...refusedMs, reader.nowMs ?? Infinity)
  if (!attachment || startedMs === Infinity) return []
  const sooner =
    reason?.code === 'NodeSilentWithVolume'
      ? `bring the node back, or, once you have confirmed that the machine is powered off, run: ${taintOutOfService(object.name)}`
      : `once you have confirmed that the machine is powered off, run: kubectl delete volumeattachment ${attachment.object.name}`
  return [
    {
      object: attachment.object,
      what: 'the volume is detached without confirmation of the node, unless the controller was started with --disable-force-detach-on-timeout',
      endsAt: formatTimestamp(startedMs + FORCE_DETACH_MS),
      isLatest: true,
      sooner,
    },
  ]
}

const EXCLUSIVE = /already exclusively attached/

/** A pod on a node that does not respond is deleted when it no longer tolerates the taint. */
async function eviction(path: readonly Link[], reader: ClusterReader): Promise<RunningClock[]> {
  const podLink = path.findLast((link) => link.object.kind === 'Pod')
  if (!podLink) return []
  const { namespace = '', name } = podLink.object
  const found = await reader.get(PODS, { namespace, name })
  if (found.kind !== 'found' || found.object.metadata.deletionTimestamp !== undefined) return []
  const node = await reader.get(NODES, { name: found.object.spec.nodeName ?? '' })
  const endsMs = node.kind === 'found' ? evictionTime(found.object, node.object) : undefined
  if (endsMs === undefined) return []
  return [
    {
      object: podLink.object,
      what: 'the pod is evicted',
      endsAt: formatTimestamp(endsMs),
      isLatest: false,
      sooner: `bring the node back, or, once you have confirmed that the machine is powered off, run: ${taintOutOfService(found.object.spec.nodeName ?? '')}`,
    },
  ]
}

function evictionTime({ spec: { tolerations = [] } }: Pod, { spec }: Node): number | undefined {
  const ends = (spec?.taints ?? [])
    .filter(({ key, effect }) => effect === 'NoExecute' && AWAY.has(key))
    .flatMap(({ key, timeAdded }) => {
      const addedMs = findTimestamp(timeAdded)
      const tolerated = tolerations.find((each) => each.key === key || each.key === undefined || each.key === '')
      if (addedMs === undefined) return []
      if (!tolerated) return [addedMs]
      const seconds = tolerated.tolerationSeconds ?? undefined
      return seconds === undefined ? [] : [addedMs + seconds * 1000]
    })
  return ends.length === 0 ? undefined : Math.min(...ends)
}

const AWAY: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'])

/** After an error, attempts are repeated at growing intervals. */
async function retry({ object, title, reason, lastError }: Link, reader: ClusterReader): Promise<RunningClock[]> {
  const failedMs = findTimestamp(lastError?.time)
  const actor = reason?.waitsFor?.kind === 'actor' ? reason.waitsFor.name : undefined
  if (failedMs === undefined || actor === undefined) return []
  const endsMs = failedMs + (actor.startsWith('the node agent') ? KUBELET_RETRY_MS : SIDECAR_RETRY_MS)
  // A later time has a longer interval than the default, or nobody retries. Without the current time, the error may be old.
  if (reader.nowMs === undefined || endsMs < reader.nowMs) return []
  return [
    {
      object,
      what: `${actor} retries ${nounOf({ object, ...(title ? { title } : {}) }, object.namespace)}`,
      endsAt: formatTimestamp(endsMs),
      isLatest: true,
      sooner: `restart ${actor}, once the cause is gone`,
    },
  ]
}

/** A leader that no longer renews its lease is replaced when it expires. */
async function takeover({ reason }: Link, reader: ClusterReader): Promise<RunningClock[]> {
  const actor = reason && findActor(reason)
  const lease = actor && (await findSidecarLease(actor.sidecar, actor.driver, reader))
  const { nowMs } = reader
  if (!lease || nowMs === undefined || lease.expiresMs < nowMs || nowMs - lease.renewedMs < RENEWAL_LATE_MS) return []
  const [namespace = '', name = ''] = lease.key.split('/')
  return [
    {
      object: { kind: 'Lease', namespace, name },
      what: `another replica takes over from ${lease.holder}, which has not renewed its lease since ${formatTimestamp(lease.renewedMs)}`,
      endsAt: formatTimestamp(lease.expiresMs),
      isLatest: false,
      sooner: `once you have confirmed that ${lease.holder} is not running, run: kubectl delete lease ${name} -n ${namespace}`,
    },
  ]
}
