import { isAlreadyExists, isConflict, isNotFound } from '../../api/api-error.ts'
import { isEqualJson } from '../../api/equal-json.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { formatReason } from '../../api/reason.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { after, defineController, deleteAsSeen, on } from '../../kube/controller/index.ts'
import type { Pass } from '../../kube/controller/index.ts'
import { NODE_ID_ANNOTATION } from '../../storage/node-ids.ts'
import type { DriverStore } from './driver-store.ts'
import { nextPublicationStep } from './next-publication-step.ts'
import type { PublicationPassView, PublicationReads, PublicationStep } from './next-publication-step.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationRole } from './registration-options.ts'
import { driverTopic } from './registration-view.ts'
import { createWantedDrivers, isFinalRefusal, isNotServed, readOwnObject } from './wanted-drivers.ts'

/** The Node for which the drivers were published, and how many times in a row the server had no CSINode. */
type Memory = { readonly uid: string | undefined; readonly unserved: number }
type PublicationPass = Pass<PublicationPassView, Memory, PublicationReads>
type StepOf<Kind extends PublicationStep['kind']> = Extract<PublicationStep, { kind: Kind }>

// The first tries are those of the kubelet.
const BACKOFF = { initialMs: 10, factor: 5, maximumMs: 120_000, jitter: 0.1 }
const UNSERVED_BACKOFF = { initialMs: 1000, maximumMs: 120_000 }

export type Publication = Omit<ReturnType<typeof createPublication>, 'controller'>

/** What is published about the node's drivers: Node, CSINode, and CSINodeInfo if it exists. Nothing else writes it. */
export function createPublication(role: RegistrationRole, store: DriverStore) {
  const { api, random, nodeName, config } = role
  const log = role.log.with({ node: nodeName })
  const nodes = role.follow(NODES, { scope: { fieldSelector: `metadata.name=${nodeName}` }, isAwaited: false })
  const queue = role.createQueue({ name: 'node-publication', backoff: BACKOFF })
  const findNode = (): Node | undefined => nodes.get(nodeName)
  const drivers = createWantedDrivers(
    () => (findNode() ? REASONS.NotYetPublished(nodeName) : REASONS.NodeMissing(nodeName)),
    (driver, { facts, state }) => {
      if (state.kind === 'published') log.info('driver published', { driver, ...facts })
      role.report(driverTopic(driver))
    },
  )
  /** Drivers that were published before the agent started may have to be withdrawn. */
  let hasStrangers = false

  const withdrawUnknown = (entries: readonly { readonly name?: string }[] | null | undefined): void => {
    for (const { name } of (hasStrangers && entries) || []) {
      if (name === undefined || drivers.has(name) || store.find(name)) continue
      log.info('removing a driver that is no longer on this node', { driver: name })
      drivers.withdraw(name)
    }
  }
  const readCsiNode = async (_step: StepOf<'read-csi-node'>, pass: PublicationPass): Promise<void> => {
    const csiNode = await readOwnObject(api, CSI_NODES, nodeName)
    pass.reads = { csiNode }
    withdrawUnknown(csiNode.object?.spec.drivers)
  }
  const readNodeInfo = async (_step: StepOf<'read-node-info'>, pass: PublicationPass): Promise<void> => {
    const csiNodeInfo = await readOwnObject(api, CSI_NODE_INFOS, nodeName)
    pass.reads = { ...pass.reads, csiNodeInfo }
    withdrawUnknown(csiNodeInfo.object?.csiDrivers)
    hasStrangers = false
  }

  const patchNode = async ({ driver, annotations, labels }: StepOf<'patch'>, pass: PublicationPass): Promise<void> => {
    // Not a Node of the same name that was created meanwhile.
    const value = { metadata: { uid: pass.view.uid, annotations, labels } }
    try {
      await api.patch(NODES, { name: nodeName }, { type: 'merge', value }, { subresource: 'status' })
    } catch (error) {
      if (driver === undefined || !isFinalRefusal(error)) throw error
      return drivers.refuse(driver, REASONS.PublicationRefused(driver, error.message))
    }
    if (driver !== undefined)
      log.info('driver written to the node', { driver, labels, id: NODE_ID_ANNOTATION in annotations })
  }

  const writeCsiNode = async ({ write }: StepOf<'write-csi-node'>, pass: PublicationPass): Promise<void> => {
    const { kind, object } = write
    // Whatever happens to the write, only another read shows what is there, unless the server answers.
    pass.reads = {}
    try {
      if (kind === 'delete') return await deleteCsiNode(object, pass)
      const written = kind === 'create' ? api.create(CSI_NODES, object) : api.update(CSI_NODES, object)
      pass.reads = { csiNode: { object: await written } }
    } catch (error) {
      if (isNotServed(error)) return void (pass.reads = { csiNode: { object: undefined, unserved: error } })
      // The object has changed: read what is there now.
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return
      const added = (object.spec.drivers ?? []).filter(({ name }) => drivers.stateOf(name)?.kind === 'pending')
      // No registration depends on it, so it is only retried.
      if (!isFinalRefusal(error) || added.length === 0) throw error
      for (const { name } of added) drivers.refuse(name, REASONS.PublicationRefused(name, error.message))
    }
  }
  const deleteCsiNode = async (object: CSINode, pass: PublicationPass): Promise<void> => {
    // The cache may still have the Node of before: a good object must not be deleted because of that.
    const now = await api.get(NODES, { name: nodeName })
    if (now.metadata.uid !== pass.view.uid) return nodes.remember(now)
    log.info('the CSINode belongs to another node and is created again', {
      owners: object.metadata.ownerReferences ?? [],
    })
    await deleteAsSeen(api, CSI_NODES, object)
    pass.reads = { csiNode: { object: undefined } }
  }

  const writeNodeInfo = async ({ write }: StepOf<'write-node-info'>, pass: PublicationPass): Promise<void> => {
    const { kind, object } = write
    try {
      const written = kind === 'create' ? api.create(CSI_NODE_INFOS, object) : api.update(CSI_NODE_INFOS, object)
      pass.reads = { ...pass.reads, csiNodeInfo: { object: await written } }
    } catch (error) {
      pass.signal.throwIfAborted()
      pass.log.warn('failed to write CSINodeInfo', { error })
      if (!isNotServed(error) && !isFinalRefusal(error)) throw error
      pass.reads = { ...pass.reads, csiNodeInfo: { object: undefined, unserved: error } }
    }
  }

  const doWithout = ({ reason, cause }: StepOf<'do-without'>, pass: PublicationPass) => {
    const unserved = (pass.memory?.unserved ?? 0) + 1
    if (unserved === 1) pass.log.warn('failed to write CSINode', { error: cause })
    const node = findNode()
    if (node) pass.say(node, { type: 'Warning', event: reason.code }, formatReason(reason))
    drivers.markUnserved(reason)
    pass.memory = { uid: pass.view.uid, unserved }
    return after(backoffDelayMs(UNSERVED_BACKOFF, unserved, random))
  }

  const controller = defineController<PublicationPassView, PublicationStep, Memory, PublicationReads>({
    name: 'node-publication',
    queue,
    watch: [
      // Nodes report often; little of that matters here.
      on(nodes, ({ key, before, after: now }) => (isEqualJson(relevantOf(before), relevantOf(now)) ? undefined : key)),
      (enqueue) =>
        store.onChange((name, driver) => {
          if (!driver) drivers.withdraw(name)
          else if (!driver.facts || !drivers.publish(name, driver.facts)) return
          enqueue(nodeName)
        }),
    ],
    view: (_key, { memory, reads }) => {
      if (drivers.isEmpty() && !hasStrangers) return undefined
      return {
        ...drivers.view(),
        node: findNode(),
        nodeName,
        uid: memory?.uid,
        reads,
        overwriteOwnLabels: config.overwriteOwnLabels,
        recheckInMs: config.recheckMs * (1 + 0.1 * random.fraction()),
      }
    },
    decide: nextPublicationStep,
    perform: {
      begin: ({ uid }, pass) => {
        drivers.begin()
        pass.memory = { uid, unserved: 0 }
        pass.reads = {}
      },
      'read-csi-node': readCsiNode,
      'read-node-info': readNodeInfo,
      refuse: ({ driver, reason }) => drivers.refuse(driver, reason),
      patch: patchNode,
      'write-csi-node': writeCsiNode,
      'write-node-info': writeNodeInfo,
      'do-without': doWithout,
      'mark-published': (_step, pass) => {
        pass.memory = { uid: pass.view.uid, unserved: 0 }
        pass.unsay()
        drivers.markPublished()
      },
      'forget-withdrawn': drivers.forgetWithdrawn,
    },
  })
  return {
    controller,
    stateOf: drivers.stateOf,
    /** Withdraws what was published before the agent started and is not known any more. */
    withdrawStrangers: (): void => {
      hasStrangers = true
      queue.add(nodeName)
    },
    findNode,
  }
}

const relevantOf = (node: Node | undefined): object | undefined =>
  node && {
    uid: node.metadata.uid,
    labels: node.metadata.labels ?? {},
    ids: node.metadata.annotations?.[NODE_ID_ANNOTATION] ?? '',
  }
