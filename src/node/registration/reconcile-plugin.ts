import type { Reason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import { createAskAgain, PLUGIN_BACKOFF } from './ask-again.ts'
import type { AskAgainParts } from './ask-again.ts'
import { askOffer, refusePlugin } from './ask-offer.ts'
import type { OfferParts } from './ask-offer.ts'
import { callRegistrar, NoServerError } from './ask-registrar.ts'
import { nextRegistrationStep } from './next-registration-step.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PluginOffer } from './plugin-offer.ts'
import { messageOf, PluginRefusal, reasonOf } from './plugin-refusal.ts'
import { readNodeFacts } from './read-node-facts.ts'
import { REASONS } from './reasons.ts'
import type { PluginRecord, RegistrationStep, RegistrationView } from './registration-view.ts'
import type { Sighting } from './sighting.ts'

export type PluginParts = OfferParts &
  AskAgainParts & {
    findSocket(path: string): Sighting | undefined
    /** A registered driver lost its socket or its registrar: it goes unless it comes back. */
    onLeft(socket: Sighting, name: string): void
    /** It came back. */
    onAdmitted(socket: Sighting): void
    /** Publishes what serves the name now, or nothing. */
    restore(name: string): void
    /** A driver serves no longer: whoever was refused because of it may try again. */
    onRemoved(name: string): void
    /** Called once the registrar knows. */
    onRegistered(name: string, socket: Sighting): void
    /** Says to people what is wrong with a plugin. */
    tell(path: string, reason: Reason): void
  }

const MOST_STEPS = 12
// A socket that a dead process has left behind is asked again soon: its successor may come any moment.
const NO_SERVER_RETRY_MS = 1000

/** One pass over one socket: as many steps as follow from each other. */
export function createPluginReconciler(parts: PluginParts): Reconciler {
  const { clock, random, records, store, publication } = parts
  const askAgain = createAskAgain(parts)

  const readView = (path: string): RegistrationView => {
    const record = records.find(path)
    const offer = record && 'offer' in record.state ? record.state.offer : undefined
    const registered = record && offer ? store.findOther(offer.name, record.socket) : undefined
    // Of the facts that this socket has brought; those of another one of the same name are not its own.
    const isOurs =
      record &&
      (record.state.kind === 'known' || record.state.kind === 'registered') &&
      records.isPublishing(record.socket)
    const state = isOurs && offer ? publication.stateOf(offer.name) : undefined
    return {
      seen: { socket: parts.findSocket(path) },
      held: {
        nowMs: clock.monotonicMs(),
        record,
        ...(registered ? { registered } : {}),
        ...(state ? { publication: state } : {}),
      },
    }
  }

  const reconcile: Reconciler = async (path, { log, signal }) => {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const view = readView(path)
      const step = nextRegistrationStep(view)
      log.debug('registration step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
      const result = await perform(step, view.held?.record, signal)
      if (result) return result
    }
    return after(PLUGIN_BACKOFF.initialMs)
  }

  /** Undefined: go on with the next step. */
  const perform = async (
    step: RegistrationStep,
    record: PluginRecord | undefined,
    signal: AbortSignal,
  ): Promise<WorkResult | undefined> => {
    if (step.kind === 'wait') return step.retryInMs === undefined ? DONE : after(step.retryInMs)
    if (step.kind === 'forget') {
      forget(step.record)
      return undefined
    }
    if (step.kind === 'ask') return attempt(step.socket, signal, (until) => ask(step.socket, until))
    // All others are about what we know of the socket.
    if (!record) return DONE
    const { socket } = record
    switch (step.kind) {
      case 'ask-node':
        return attempt(socket, signal, (until) => admit(record, step.offer, until))
      case 'publish':
        records.setPublishing(step.offer.name, socket)
        publication.publish(step.offer.name, step.facts)
        return undefined
      case 'confirm':
        // That the registrar can't be told undoes the registration; it is tried again before anybody sees that.
        return attempt(socket, signal, (until) => confirm(record, step.offer, step.facts, until), leave)
      case 'refuse':
        return attempt(socket, signal, (until) => refusePlugin(socket, step.reason, parts, until))
      case 'ask-node-again':
        await askAgain.askNode(record, step.offer, signal)
        return undefined
      case 'ask-flag-again':
        await askAgain.askFlag(record, step.offer, signal)
        return undefined
      default:
        return unreachable(step)
    }
  }

  const forget = (record: PluginRecord): void => {
    const { socket, state } = record
    records.remove(socket.path)
    if (state.kind === 'registered') leave(record)
    else drop(record)
  }
  const leave = ({ socket, state }: PluginRecord): void => {
    if (!('offer' in state)) return
    store.leave(socket)
    parts.onLeft(socket, state.offer.name)
  }
  /** Takes out what a socket has brought, at once, with what was kept for its return. */
  const drop = ({ socket, state }: PluginRecord): void => {
    if (!('offer' in state)) return
    const { name } = state.offer
    const isRemoved = store.remove(socket)
    store.removeLeaving(name)
    parts.restore(name)
    if (isRemoved) parts.onRemoved(name)
  }

  /** Does it, or notes why not and when to try again. Ends early when the socket goes meanwhile. */
  const attempt = async (
    socket: Sighting,
    signal: AbortSignal,
    act: (signal: AbortSignal) => Promise<void>,
    undo = drop,
  ): Promise<WorkResult | undefined> => {
    using work = records.startWork(socket.path, signal)
    try {
      await act(work.signal)
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      // Not the one that we have been talking to any more: nothing that it said counts.
      if (work.signal.aborted) return after(0)
      const before = records.find(socket.path)
      if (before) undo(before)
      return fail(socket, before, reasonOf(error), error instanceof NoServerError)
    }
  }
  const fail = (
    socket: Sighting,
    before: PluginRecord | undefined,
    reason: Reason,
    isNobodyThere: boolean,
  ): WorkResult => {
    const failures = (before?.failures ?? 0) + 1
    const delayMs = isNobodyThere ? NO_SERVER_RETRY_MS : backoffDelayMs(PLUGIN_BACKOFF, failures, random)
    records.set({ socket, failures, state: { kind: 'failed', reason, retryAtMs: clock.monotonicMs() + delayMs } })
    parts.tell(socket.path, reason)
    return after(delayMs)
  }

  const ask = async (socket: Sighting, signal: AbortSignal): Promise<void> => {
    const failures = records.find(socket.path)?.failures ?? 0
    const offer = await askOffer(socket, parts, signal)
    records.set({ socket, failures, state: { kind: 'offered', offer } })
  }

  const admit = async (record: PluginRecord, offer: PluginOffer, signal: AbortSignal): Promise<void> => {
    const { socket } = record
    const { name, endpoint, version, requiresPublishPod } = offer
    parts.onAdmitted(socket)
    store.remove(socket)
    const { driver, connection } = parts.connectDriver(endpoint)
    const add = (facts: NodeFacts | undefined): void =>
      store.add(socket, { name, endpoint, driver, connection, version, requiresPublishPod, facts })
    // It may be called from now on: volumes of a driver that is only slow to tell about the node can be mounted. But one that serves is
    // not put aside before the new one has answered.
    const isReplacing = store.findOther(name, socket)?.isLeaving === false
    if (!isReplacing) add(undefined)
    try {
      const facts = await readNodeFacts(name, driver, parts, signal)
      if (isReplacing) add(facts)
      else store.change(socket, { facts })
      connection.watch((state) => {
        if (state.kind === 'ready' && state.times > 1) askAgain.noteRestart(socket)
      })
      records.set({ ...record, state: { kind: 'known', offer, facts } })
    } catch (error) {
      if (isReplacing) connection.close()
      signal.throwIfAborted()
      await refusePlugin(socket, reasonOf(error), parts, signal)
    }
  }

  const confirm = async (
    record: PluginRecord,
    offer: PluginOffer,
    facts: NodeFacts,
    signal: AbortSignal,
  ): Promise<void> => {
    if (record.socket.via === 'registrar') {
      using registrar = callRegistrar(record.socket.path, parts)
      await registrar.notify({ pluginRegistered: true, error: '' }, signal).catch((error: unknown): never => {
        signal.throwIfAborted()
        throw new PluginRefusal(REASONS.notifyFailed(offer.name, messageOf(error)))
      })
    }
    const again = offer.isFlagOpen
      ? { again: { what: 'flag' as const, atMs: clock.monotonicMs() + PLUGIN_BACKOFF.initialMs } }
      : {}
    records.set({ socket: record.socket, failures: 0, state: { kind: 'registered', offer, facts }, ...again })
    parts.log.info('the driver is registered', {
      driver: offer.name,
      endpoint: offer.endpoint,
      requiresPublishPod: offer.requiresPublishPod,
    })
    parts.onRegistered(offer.name, record.socket)
  }

  return reconcile
}
