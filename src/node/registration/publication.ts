import { ApiError, isAlreadyExists, isConflict, isNotFound, isRetriable } from '../../api/api-error.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { refOf } from '../../api/object-key.ts'
import type { Reason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { CSI_NODE_INFOS } from '../../compat/csi-node-info.ts'
import type { CSINodeInfo } from '../../compat/csi-node-info.ts'
import { after, DONE, startController } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import { within } from '../../kube/within.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import { nextCsiNodeInfoStep } from './next-csi-node-info-step.ts'
import { nextCsiNodeStep } from './next-csi-node-step.ts'
import type { CsiNodeStep } from './next-csi-node-step.ts'
import { nextNodeObjectStep } from './next-node-object-step.ts'
import type { NodeObjectStep } from './next-node-object-step.ts'
import type { NodeFacts } from './node-facts.ts'
import { NODE_ID_ANNOTATION } from './node-ids.ts'
import { isNotServed, readOwnObject } from './own-object.ts'
import type { OwnObject } from './own-object.ts'
import type { PublicationView } from './publication-view.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationConfig } from './registration-config.ts'
import type { RegistrationParts } from './registration-parts.ts'
import type { PublicationState } from './registration-view.ts'

/** What the API knows of the node's drivers: Node, CSINode, and CSINodeInfo where it exists. The only writer of all of it. */
export interface Publication {
  publish(driver: string, facts: NodeFacts): void
  withdraw(driver: string): void
  /** Undefined for a driver that is not to be published. */
  stateOf(driver: string): PublicationState | undefined
  /** The facts as they are to be published. */
  factsOf(driver: string): NodeFacts | undefined
  /** Also withdraws what was published in an earlier life and is not known any more. */
  withdrawStrangers(isKnown: (driver: string) => boolean): void
  findNode(): Node | undefined
  isIdle(): boolean
  stop(): Promise<void>
}

export type PublicationParts = Pick<RegistrationParts, 'api' | 'informers' | 'clock' | 'random' | 'nodeName' | 'log'> & {
  config: Pick<RegistrationConfig, 'recheckMs' | 'overwriteOwnLabels'>
  /** The state of a driver has changed. */
  onState(driver: string): void
  /** The server has no place for what is to be published. */
  onUnserved(reason: Reason): void
}

type Entry = { facts: NodeFacts | undefined; state: PublicationState }

const KEY = 'node'
const MOST_STEPS = 20
// The first tries are those of the kubelet.
const BACKOFF = { initialMs: 10, factor: 5, maximumMs: 120_000, jitter: 0.1 }
const UNSERVED_BACKOFF = { initialMs: 1000, maximumMs: 120_000 }
const ASK_AGAIN_MS = 300_000

export function startPublication(parts: PublicationParts): Publication {
  const { api, clock, random, nodeName, config, onState } = parts
  const log = parts.log.with({ node: nodeName })
  const cache = parts.informers.get(NODES, { fieldSelector: `metadata.name=${nodeName}` })
  const nodes = createOwnWrites(cache)
  const queue = createWorkQueue({ clock, random, backoff: BACKOFF })
  const entries = new Map<string, Entry>()
  const writtenKeys = new Map<string, Set<string>>()
  let csiNode: OwnObject<CSINode> = { kind: 'unread' }
  let csiNodeInfo: OwnObject<CSINodeInfo> = { kind: 'unread' }
  let readAtMs = Number.NEGATIVE_INFINITY
  let infoAskedAtMs = Number.NEGATIVE_INFINITY
  let isKnownDriver: ((driver: string) => boolean) | undefined
  let unservedTries = 0

  const pending = (): PublicationState => ({ kind: 'pending', reason: nodes.get(nodeName) ? REASONS.publishing(nodeName) : REASONS.nodeMissing(nodeName) })
  const move = (driver: string, entry: Entry, state: PublicationState): void => {
    entry.state = state
    onState(driver)
  }
  const publish = (driver: string, facts: NodeFacts): void => {
    const present = entries.get(driver)
    const isSame = present?.facts !== undefined && isSameNode(present.facts, facts) && ['published', 'unserved'].includes(present.state.kind)
    // A new limit is written without anything being judged again.
    entries.set(driver, { facts, state: isSame ? present.state : pending() })
    if (!isSame || !isEqualJson(present.facts, facts)) queue.add(KEY)
  }
  const withdraw = (driver: string): void => {
    entries.set(driver, { facts: undefined, state: pending() })
    queue.add(KEY)
  }

  const unwatch = cache.onChange(({ before, after: now }) => {
    // Nodes report often; little of that is of interest.
    if (isEqualJson(identityOf(before), identityOf(now))) return
    if (before?.metadata.uid !== now?.metadata.uid) begin()
    queue.add(KEY)
  })
  /** Another machine under our name, or a new object for it: all is to be published anew. */
  const begin = (): void => {
    csiNode = { kind: 'unread' }
    csiNodeInfo = { kind: 'unread' }
    for (const entry of entries.values()) if (entry.facts && entry.state.kind === 'published') entry.state = pending()
  }

  const reconcile: Reconciler = async (_key, { signal }) => {
    if (entries.size === 0 && !isKnownDriver) return DONE
    if (clock.monotonicMs() - readAtMs >= config.recheckMs) csiNode = { kind: 'unread' }
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const node = nodes.get(nodeName)
      // Its coming brings us back.
      if (!node) return DONE
      if (csiNode.kind === 'unread') await read(signal)
      const nodeStep = nextNodeObjectStep(viewOf(node))
      if (nodeStep.kind !== 'done') {
        await performNodeStep(node, nodeStep, signal)
        continue
      }
      if (csiNode.kind === 'unserved') return reportUnserved(csiNode.cause)
      const step = nextCsiNodeStep(viewOf(node))
      if (step.kind !== 'done') {
        await performCsiNodeStep(node, step, signal)
        continue
      }
      unservedTries = 0
      markPublished()
      if (!(await writeInfo(node, signal))) continue
      // Taking the id off the Node comes after the entry is gone, so once more.
      if (nextNodeObjectStep(viewOf(node)).kind !== 'done') continue
      forgetWithdrawn()
      return after(config.recheckMs * (1 + 0.1 * random.fraction()))
    }
    return after(BACKOFF.initialMs)
  }

  const read = async (signal: AbortSignal): Promise<void> => {
    const found = await within(clock, signal, (until) => readOwnObject(api, CSI_NODES, nodeName, until))
    const info = await readInfo(signal)
    csiNode = found
    csiNodeInfo = info
    readAtMs = clock.monotonicMs()
    if (found.kind !== 'read' || !isKnownDriver) return
    const published = [...(found.object?.spec.drivers ?? []), ...(info.kind === 'read' ? (info.object?.csiDrivers ?? []) : [])]
    for (const { name } of published) {
      if (name === undefined || entries.has(name) || isKnownDriver(name)) continue
      log.info('a driver that is no longer here is taken out of the published ones', { driver: name })
      entries.set(name, { facts: undefined, state: pending() })
    }
    isKnownDriver = undefined
  }
  // Whoever needs the old kind has to do without it while it can't be read.
  const readInfo = async (signal: AbortSignal): Promise<OwnObject<CSINodeInfo>> => {
    infoAskedAtMs = clock.monotonicMs()
    try {
      return await within(clock, signal, (until) => readOwnObject(api, CSI_NODE_INFOS, nodeName, until))
    } catch (error) {
      signal.throwIfAborted()
      log.debug('CSINodeInfo could not be read', { error })
      return { kind: 'unserved', cause: error instanceof Error ? error : new Error(String(error)) }
    }
  }

  const viewOf = (node: Node): PublicationView => {
    const wanted = new Map([...entries].map(([driver, { facts, state }]) => [driver, state.kind === 'refused' ? undefined : facts]))
    const published = new Set([...entries].filter(([, { state }]) => state.kind === 'published').map(([driver]) => driver))
    return {
      seen: {
        node,
        csiNode: csiNode.kind === 'read' ? csiNode.object : undefined,
        ...(csiNodeInfo.kind === 'read' ? { csiNodeInfo: csiNodeInfo.object } : {}),
      },
      held: { wanted, published, ownKeys: config.overwriteOwnLabels ? ownKeys() : new Map<string, Set<string>>() },
    }
  }
  /** What only this driver wrote: in this life, or by what CSINode says of it. */
  const ownKeys = (): Map<string, Set<string>> => {
    const listed = new Map((csiNode.kind === 'read' ? (csiNode.object?.spec.drivers ?? []) : []).map(({ name, topologyKeys }) => [name, new Set(topologyKeys)]))
    const keysOf = (driver: string): Set<string> => new Set([...(listed.get(driver) ?? []), ...(writtenKeys.get(driver) ?? [])])
    const drivers = new Set([...listed.keys(), ...writtenKeys.keys()])
    return new Map([...drivers].map((driver) => {
      const others = [...drivers].filter((other) => other !== driver).flatMap((other) => [...keysOf(other)])
      return [driver, keysOf(driver).difference(new Set(others))]
    }))
  }

  const performNodeStep = async (node: Node, step: Exclude<NodeObjectStep, { kind: 'done' }>, signal: AbortSignal): Promise<void> => {
    if (step.kind === 'refuse') return refuse(step.driver, step.reason)
    const { driver, annotations, labels } = step
    const metadata = {
      // A node that was made anew meanwhile is not meant.
      uid: node.metadata.uid,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    }
    try {
      const value = { metadata }
      nodes.remember(await within(clock, signal, (until) => api.patch(NODES, refOf(node), { type: 'merge', value }, { subresource: 'status', signal: until })))
    } catch (error) {
      if (driver === undefined || !isFinal(error)) throw error
      return refuse(driver, REASONS.refusedByServer(driver, error.message))
    }
    if (driver === undefined) return
    writtenKeys.set(driver, new Set([...(writtenKeys.get(driver) ?? []), ...Object.keys(labels)]))
    log.info('the driver is written to the node', { driver, labels, id: NODE_ID_ANNOTATION in annotations })
  }
  const refuse = (driver: string, reason: Reason): void => {
    const entry = entries.get(driver)
    if (entry) move(driver, entry, { kind: 'refused', reason })
  }

  const performCsiNodeStep = async (node: Node, step: Exclude<CsiNodeStep, { kind: 'done' }>, signal: AbortSignal): Promise<void> => {
    // Whatever happens to the write, only another look tells what is there, unless the server does.
    csiNode = { kind: 'unread' }
    try {
      const object = await writeCsiNode(node, step, signal)
      if (object !== 'unknown') csiNode = { kind: 'read', object }
    } catch (error) {
      signal.throwIfAborted()
      if (isNotServed(error)) csiNode = { kind: 'unserved', cause: error }
      else if (isFinal(error)) refuseAdded(step, error)
      // Somebody else was faster: what is there now is read.
      else if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error
    }
  }
  const writeCsiNode = async (node: Node, step: Exclude<CsiNodeStep, { kind: 'done' }>, signal: AbortSignal): Promise<CSINode | undefined | 'unknown'> => {
    const { object } = step
    switch (step.kind) {
      case 'create':
        return within(clock, signal, (until) => api.create(CSI_NODES, object, { signal: until }))
      case 'update':
        return within(clock, signal, (until) => api.update(CSI_NODES, object, { signal: until }))
      case 'delete': {
        // The cache may still have the node of before: a good object must not go because of that.
        const now = await within(clock, signal, (until) => api.get(NODES, { name: nodeName }, { signal: until }))
        if (now.metadata.uid !== node.metadata.uid) return nodes.remember(now), 'unknown'
        log.info('the CSINode belongs to another node: it is made anew', { owners: object.metadata.ownerReferences ?? [] })
        const { uid = '', resourceVersion = '' } = object.metadata
        await within(clock, signal, (until) => api.delete(CSI_NODES, refOf(object), { preconditions: { uid, resourceVersion }, signal: until }))
        return undefined
      }
      default:
        return unreachable(step)
    }
  }
  const refuseAdded = ({ object }: Exclude<CsiNodeStep, { kind: 'done' }>, error: ApiError): void => {
    const added = (object.spec.drivers ?? []).filter(({ name }) => entries.get(name)?.state.kind === 'pending')
    // Nobody's registration hangs on it, so it is only tried again.
    if (added.length === 0) throw error
    for (const { name } of added) refuse(name, REASONS.refusedByServer(name, error.message))
  }

  const markPublished = (): void => {
    for (const [driver, entry] of entries) {
      if (!entry.facts || entry.state.kind === 'published' || entry.state.kind === 'refused') continue
      log.info('the driver is published', { driver, nodeId: entry.facts.nodeId, topology: entry.facts.topology })
      move(driver, entry, { kind: 'published' })
    }
  }
  const reportUnserved = (cause: Error): WorkResult => {
    const reason = REASONS.typeNotServed(nodeName)
    if (unservedTries++ === 0) {
      log.warn('CSINode can not be written', { error: cause })
      parts.onUnserved(reason)
    }
    for (const [driver, entry] of entries) if (entry.facts && entry.state.kind === 'pending') move(driver, entry, { kind: 'unserved', reason })
    csiNode = { kind: 'unread' }
    return after(backoffDelayMs(UNSERVED_BACKOFF, unservedTries, random))
  }

  /** False: something was written, look again. What goes wrong here keeps nobody else from anything. */
  const writeInfo = async (node: Node, signal: AbortSignal): Promise<boolean> => {
    if (csiNodeInfo.kind !== 'read' && clock.monotonicMs() - infoAskedAtMs >= ASK_AGAIN_MS) csiNodeInfo = await readInfo(signal)
    if (csiNodeInfo.kind !== 'read') return true
    const step = nextCsiNodeInfoStep(viewOf(node))
    if (step.kind === 'done') return true
    csiNodeInfo = { kind: 'unread' }
    try {
      const object = await within(clock, signal, (until) =>
        step.kind === 'create' ? api.create(CSI_NODE_INFOS, step.object, { signal: until }) : api.update(CSI_NODE_INFOS, step.object, { signal: until }),
      )
      csiNodeInfo = { kind: 'read', object }
    } catch (error) {
      signal.throwIfAborted()
      log.warn('CSINodeInfo was not written', { error })
      if (!isNotServed(error) && !isFinal(error)) throw error
      infoAskedAtMs = clock.monotonicMs()
      csiNodeInfo = { kind: 'unserved', cause: error }
    }
    return false
  }
  const forgetWithdrawn = (): void => {
    for (const [driver, { facts }] of entries) if (!facts) entries.delete(driver)
  }

  const controller = startController({ name: 'node-publication', queue, reconcile, log })
  return {
    publish,
    withdraw,
    stateOf: (driver) => (entries.get(driver)?.facts ? entries.get(driver)?.state : undefined),
    factsOf: (driver) => entries.get(driver)?.facts,
    withdrawStrangers: (isKnown) => {
      isKnownDriver = isKnown
      csiNode = { kind: 'unread' }
      queue.add(KEY)
    },
    findNode: () => nodes.get(nodeName),
    isIdle: () => queue.depth() === 0,
    stop: async () => {
      unwatch()
      nodes.stop()
      await controller.stop()
    },
  }
}

const isSameNode = (a: NodeFacts, b: NodeFacts): boolean => a.nodeId === b.nodeId && isEqualJson(a.topology, b.topology)

const identityOf = (node: Node | undefined): object | undefined =>
  node && { uid: node.metadata.uid, labels: node.metadata.labels ?? {}, ids: node.metadata.annotations?.[NODE_ID_ANNOTATION] ?? '' }

/** The server has understood and refused: another try alone changes nothing. */
const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && !isRetriable(error) && !isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)
