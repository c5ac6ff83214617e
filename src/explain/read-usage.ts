import { abandonOnAbort } from '../base/abort.ts'
import type { Api } from '../api/api.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import { podClaimsOf } from '../storage/pod-claims.ts'
import type { ClusterReader } from './cluster-reader.ts'
import { explainNode } from './explain-node.ts'
import type { Usage } from './explanation.ts'

export type UsageParts = {
  readonly api: Api
  readonly reader: ClusterReader
  /** Ends the query: the numbers are not worth a long wait. */
  readonly signal: AbortSignal
}

type Claim = { readonly namespace: string; readonly name: string }

/**
 * As the node of a running pod reports it, through the API server: the kubelet's `/stats/summary`, which needs permission to get nodes/proxy. Undefined if
 * nobody uses the claim, or the numbers cannot be had.
 */
export async function readUsage(claim: Claim, parts: UsageParts): Promise<Usage | undefined> {
  const { api, reader, signal } = parts
  try {
    const pods = (await reader.list(PODS, claim.namespace)) ?? []
    const user = pods.find(
      (pod) => pod.status?.phase === 'Running' && podClaimsOf(pod).some(({ claimName }) => claimName === claim.name),
    )
    const name = user?.spec.nodeName
    // A node that is not ready would not answer.
    if (!name || (await explainNode(name, reader)).status !== 'ready') return undefined
    const asked = api.get(NODES, { name }, { subresource: 'proxy/stats/summary', signal })
    return findUsage(await abandonOnAbort(asked, signal), claim)
  } catch {
    // Not allowed, not served, or no answer in time: the explanation is complete without it.
    return undefined
  }
}

const findUsage = (summary: unknown, { namespace, name }: Claim): Usage | undefined =>
  usagesIn(summary).find(({ claim }) => claim.name === name && claim.namespace === namespace)?.usage

/** The usage of each claim in a `/stats/summary`. The response is not trusted: anything that is not a number is left out. */
export function usagesIn(summary: unknown): { readonly claim: Claim; readonly usage: Usage }[] {
  return listOf(summary, 'pods')
    .flatMap((pod) => listOf(pod, 'volume'))
    .flatMap((volume) => {
      const { pvcRef, capacityBytes, usedBytes, availableBytes, inodes, inodesUsed, time } = membersOf(volume)
      const { namespace, name } = membersOf(pvcRef)
      if (typeof name !== 'string' || typeof namespace !== 'string') return []
      if (![capacityBytes, usedBytes, availableBytes].every((count) => typeof count === 'number')) return []
      const bytes = { capacityBytes, usedBytes, availableBytes } as Omit<Usage, 'time'>
      const hasInodes = typeof inodes === 'number' && typeof inodesUsed === 'number' && inodes > 0
      const usage = {
        ...bytes,
        ...(hasInodes ? { inodes, inodesUsed } : {}),
        time: typeof time === 'string' ? time : '',
      }
      return [{ claim: { namespace, name }, usage }]
    })
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const listOf = (value: unknown, member: string): unknown[] => {
  const list = membersOf(value)[member]
  return Array.isArray(list) ? list : []
}

/** `412.3Mi used, 611.7Mi available of 1Gi, 12 of 65536 inodes used, measured at 2026-11-16T01:51:16Z`. */
export const formatUsage = ({ capacityBytes, usedBytes, availableBytes, inodes, inodesUsed, time }: Usage): string =>
  `${formatBytes(usedBytes)} used, ${formatBytes(availableBytes)} available of ${formatBytes(capacityBytes)}` +
  (inodes === undefined ? '' : `, ${inodesUsed} of ${inodes} inodes used`) +
  (/^[\d:TZ.+-]+$/.test(time) ? `, measured at ${time}` : '')

const SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

function formatBytes(bytes: number): string {
  const power = Math.min(SUFFIXES.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${Number((bytes / 1024 ** power).toFixed(1))}${SUFFIXES[power]}`
}
