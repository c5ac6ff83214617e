import { isAlreadyExists, isConflict, isNotFound } from '../../api/api-error.ts'
import type { ApiError } from '../../api/api-error.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { refOf } from '../../api/object-key.ts'
import type { Reason } from '../../api/reason.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { after, DONE, startController } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'
import { within } from '../../kube/within.ts'
import { createWorkQueue } from '../../kube/work-queue.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import { nextCsiNodeStep } from './next-csi-node-step.ts'
import { nextNodeObjectStep } from './next-node-object-step.ts'
import type { NodeObjectStep } from './next-node-object-step.ts'
import type { NodeFacts } from './node-facts.ts'
import { NODE_ID_ANNOTATION } from './node-ids.ts'
import { createNodeInfoCopy } from './node-info-copy.ts'
import { isFinalRefusal, isNotServed, readOwnObject } from './own-object.ts'
import type { OwnObject } from './own-object.ts'
import type { PublicationView } from './publication-view.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationConfig } from './registration-config.ts'
import type { RegistrationParts } from './registration-parts.ts'
import type { PublicationState } from './registration-view.ts'
import { createWantedDrivers } from './wanted-drivers.ts'
import { writeCsiNode } from './write-csi-node.ts'
import type { CsiNodeWrite } from './write-csi-node.ts'

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

export type PublicationParts = Pick<
  RegistrationParts,
  'api' | 'informers' | 'clock' | 'random' | 'nodeName' | 'log'
> & {
  config: Pick<RegistrationConfig, 'recheckMs' | 'overwriteOwnLabels'>
  /** The state of a driver has changed. */
  onState(driver: string): void
  /** The server has no place for what is to be published. */
  onUnserved(reason: Reason): void
}

const KEY = 'node'
const MOST_STEPS = 20
// The first tries are those of the kubelet.
const BACKOFF = { initialMs: 10, factor: 5, maximumMs: 120_000, jitter: 0.1 }
const UNSERVED_BACKOFF = { initialMs: 1000, maximumMs: 120_000 }

export function startPublication(parts: PublicationParts): Publication {
  const { api, clock, random, nodeName, config, onState } = parts
  const log = parts.log.with({ node: nodeName })
  const cache = parts.informers.get(NODES, { fieldSelector: `metadata.name=${nodeName}` })
  const nodes = createOwnWrites(cache)
  const queue = createWorkQueue({ clock, random, backoff: BACKOFF })
  const pendingReason = (): Reason =>
    nodes.get(nodeName) ? REASONS.publishing(nodeName) : REASONS.nodeMissing(nodeName)
  const drivers = createWantedDrivers({ pendingReason, log, onState })
  const nodeInfo = createNodeInfoCopy({ api, clock, nodeName, log })
  let csiNode: OwnObject<CSINode> = { kind: 'unread' }
  let readAtMs = Number.NEGATIVE_INFINITY
  let isKnownDriver: ((driver: string) => boolean) | undefined
  let unservedTries = 0

  const unwatch = cache.onChange(({ before, after: now }) => {
    // Nodes report often; little of that is of interest.
    if (isEqualJson(identityOf(before), identityOf(now))) return
    if (before?.metadata.uid !== now?.metadata.uid) begin()
    queue.add(KEY)
  })
  /** Another machine under our name, or a new object for it: all is to be published anew. */
  const begin = (): void => {
    csiNode = { kind: 'unread' }
    nodeInfo.forget()
    drivers.begin()
  }

  const reconcile: Reconciler = async (_key, { signal }) => {
    if (drivers.isEmpty() && !isKnownDriver) return DONE
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
      drivers.markPublished()
      // What goes wrong there keeps nobody else from anything.
      if (!(await nodeInfo.write(() => viewOf(node), signal))) continue
      // Taking the id off the Node comes after the entry is gone, so once more.
      if (nextNodeObjectStep(viewOf(node)).kind !== 'done') continue
      drivers.forgetWithdrawn()
      return after(config.recheckMs * (1 + 0.1 * random.fraction()))
    }
    return after(BACKOFF.initialMs)
  }

  const read = async (signal: AbortSignal): Promise<void> => {
    const found = await within(clock, signal, (until) => readOwnObject(api, CSI_NODES, nodeName, until))
    await nodeInfo.read(signal)
    csiNode = found
    readAtMs = clock.monotonicMs()
    if (found.kind === 'read') withdrawStrangers(found.object)
  }
  const withdrawStrangers = (published: CSINode | undefined): void => {
    if (!isKnownDriver) return
    for (const { name } of [...(published?.spec.drivers ?? []), ...(nodeInfo.seen().csiNodeInfo?.csiDrivers ?? [])]) {
      if (name === undefined || drivers.has(name) || isKnownDriver(name)) continue
      log.info('a driver that is no longer here is taken out of the published ones', { driver: name })
      drivers.withdraw(name)
    }
    isKnownDriver = undefined
  }

  const viewOf = (node: Node): PublicationView => {
    const seen = csiNode.kind === 'read' ? csiNode.object : undefined
    return {
      seen: { node, csiNode: seen, ...nodeInfo.seen() },
      held: { ...drivers.held(), overwriteOwnLabels: config.overwriteOwnLabels },
    }
  }

  const performNodeStep = async (
    node: Node,
    step: Exclude<NodeObjectStep, { kind: 'done' }>,
    signal: AbortSignal,
  ): Promise<void> => {
    if (step.kind === 'refuse') return drivers.refuse(step.driver, step.reason)
    const { driver, annotations, labels } = step
    const metadata = {
      // A node that was made anew meanwhile is not meant.
      uid: node.metadata.uid,
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    }
    try {
      const value = { metadata }
      nodes.remember(
        await within(clock, signal, (until) =>
          api.patch(NODES, refOf(node), { type: 'merge', value }, { subresource: 'status', signal: until }),
        ),
      )
    } catch (error) {
      if (driver === undefined || !isFinalRefusal(error)) throw error
      return drivers.refuse(driver, REASONS.refusedByServer(driver, error.message))
    }
    if (driver === undefined) return
    log.info('the driver is written to the node', { driver, labels, id: NODE_ID_ANNOTATION in annotations })
  }

  const performCsiNodeStep = async (node: Node, step: CsiNodeWrite, signal: AbortSignal): Promise<void> => {
    // Whatever happens to the write, only another look tells what is there, unless the server does.
    csiNode = { kind: 'unread' }
    try {
      const result = await writeCsiNode(node, step, { api, clock, log }, signal)
      if (result && 'changed' in result) nodes.remember(result.changed)
      else csiNode = { kind: 'read', object: result }
    } catch (error) {
      signal.throwIfAborted()
      if (isNotServed(error)) csiNode = { kind: 'unserved', cause: error }
      else if (isFinalRefusal(error)) refuseAdded(step, error)
      // Somebody else was faster: what is there now is read.
      else if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error
    }
  }
  const refuseAdded = ({ object }: CsiNodeWrite, error: ApiError): void => {
    const added = (object.spec.drivers ?? []).filter(({ name }) => drivers.stateOf(name)?.kind === 'pending')
    // Nobody's registration hangs on it, so it is only tried again.
    if (added.length === 0) throw error
    for (const { name } of added) drivers.refuse(name, REASONS.refusedByServer(name, error.message))
  }

  const reportUnserved = (cause: Error): WorkResult => {
    const reason = REASONS.typeNotServed(nodeName)
    if (unservedTries++ === 0) {
      log.warn('CSINode can not be written', { error: cause })
      parts.onUnserved(reason)
    }
    drivers.markUnserved(reason)
    csiNode = { kind: 'unread' }
    return after(backoffDelayMs(UNSERVED_BACKOFF, unservedTries, random))
  }

  const controller = startController({ name: 'node-publication', queue, reconcile, log })
  return {
    publish: (driver, facts) => {
      if (drivers.publish(driver, facts)) queue.add(KEY)
    },
    withdraw: (driver) => {
      drivers.withdraw(driver)
      queue.add(KEY)
    },
    stateOf: drivers.stateOf,
    factsOf: drivers.factsOf,
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

const identityOf = (node: Node | undefined): object | undefined =>
  node && {
    uid: node.metadata.uid,
    labels: node.metadata.labels ?? {},
    ids: node.metadata.annotations?.[NODE_ID_ANNOTATION] ?? '',
  }
