import { isLasting } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import type { Event } from '../../api/kinds/event.ts'
import { collectAll } from '../../api/list-all.ts'
import { keyOfRef } from '../../api/object-key.ts'
import { findTimestamp } from '../../api/timestamps.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import type { Logger } from '../../base/logger.ts'
import { findFailedNode, nodeRecoveredText } from './event-texts.ts'
import type { ToldCondition } from './health-view.ts'

/** What existing events say about claims, so that another process does not repeat them and still reports recovery. */
export type EarlierEvents = {
  /** By UID of the claim. */
  readonly conditions: Map<string, ToldCondition>
  /** By node: the keys and UIDs of claims on which its failure was reported. */
  readonly failedNodes: Map<string, Map<string, string>>
}

/** Reads the events of this component once, instead of caching all events of the cluster. Empty if that is not allowed. */
export async function readEarlierEvents(api: Api, component: string, log: Logger): Promise<EarlierEvents> {
  try {
    return foldEvents(await collectAll(api, EVENTS, { fieldSelector: `source=${component}` }))
  } catch (error) {
    if (!isLasting(error)) throw error
    log.warn('earlier events could not be read: conditions that were reported before may be reported again', { error })
    return foldEvents([])
  }
}

/** Events of the same second are ordered by name, which is the order of their creation. */
export function foldEvents(events: readonly Event[]): EarlierEvents {
  const conditions: EarlierEvents['conditions'] = new Map()
  const failedNodes: EarlierEvents['failedNodes'] = new Map()
  const timed = events.map((event) => ({ event, atMs: timeOf(event) })).sort((one, other) => one.atMs - other.atMs)
  for (const { event, atMs } of timed) {
    const { reason, message = '', involvedObject } = event
    const { uid = '', namespace = '', name = '' } = involvedObject
    if (reason === 'VolumeConditionAbnormal') conditions.set(uid, { message, atMs })
    else if (reason === 'VolumeConditionNormal') conditions.delete(uid)
    else if (reason === 'NodeFailed') {
      const node = findFailedNode(message)
      if (node) getOrAdd(failedNodes, node, () => new Map()).set(keyOfRef({ namespace, name }), uid)
    } else if (reason === 'NodeRecovered') {
      for (const [node, claims] of failedNodes)
        if (message === nodeRecoveredText(node)) claims.delete(keyOfRef({ namespace, name }))
    }
  }
  return { conditions, failedNodes }
}

const timeOf = ({ lastTimestamp, eventTime, metadata }: Event): number =>
  findTimestamp(lastTimestamp) ?? findTimestamp(eventTime) ?? findTimestamp(metadata.creationTimestamp) ?? 0
