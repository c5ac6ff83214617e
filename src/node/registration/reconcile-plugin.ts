import { basename, dirname } from 'node:path'
import { validateCsiDriverName } from '../../api/csi-driver-name.ts'
import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import { unreachable } from '../../base/abort.ts'
import { backoffDelayMs } from '../../base/backoff.ts'
import type { Clock } from '../../base/clock.ts'
import type { HostFiles } from '../../base/host/index.ts'
import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { after, DONE } from '../../kube/controller.ts'
import type { Reconciler } from '../../kube/controller.ts'
import type { WorkResult } from '../../kube/work-queue.ts'
import { askNodeInfo } from './ask-driver.ts'
import { callRegistrar, NoServerError } from './ask-registrar.ts'
import type { RegistrarCall } from './ask-registrar.ts'
import { checkEndpoint } from './check-endpoint.ts'
import type { WritableDriverStore } from './driver-store.ts'
import { nextRegistrationStep } from './next-registration-step.ts'
import { checkNodeInfo } from './node-facts.ts'
import type { NodeFacts } from './node-facts.ts'
import { checkPluginInfo } from './plugin-offer.ts'
import type { PluginOffer } from './plugin-offer.ts'
import type { PluginRecords } from './plugin-records.ts'
import type { Publication } from './publication.ts'
import { REASONS } from './reasons.ts'
import type { RegistrationParts } from './registration-parts.ts'
import type { PluginRecord, RegistrationStep, RegistrationView } from './registration-view.ts'
import type { Sighting } from './sighting.ts'

export type PluginParts = Pick<RegistrationParts, 'connectDriver' | 'connectRegistrar'> & {
  readonly files: HostFiles
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Where sockets of drivers may be. */
  readonly endpointDirectories: readonly string[]
  findSocket(path: string): Sighting | undefined
  readonly records: PluginRecords
  readonly store: WritableDriverStore
  readonly publication: Publication
  /** A registered driver lost its socket or its registrar: it goes unless it comes back. */
  onLeft(socket: Sighting, name: string): void
  /** It came back. */
  onAdmitted(socket: Sighting): void
  /** Publishes what serves the name now, or nothing. */
  restore(name: string): void
  /** A driver serves no longer: whoever was refused because of it may try again. */
  onRemoved(name: string): void
  /** Called once the registrar knows. */
  onRegistered(name: string): void
  enqueue(path: string): void
  /** Says to people what is wrong with a plugin. */
  tell(path: string, reason: Reason): void
}

const MOST_STEPS = 12
const BACKOFF = { initialMs: 500, maximumMs: 122_000 }
// A socket that a dead process has left behind is asked again soon: its successor may come any moment.
const NO_SERVER_RETRY_MS = 1000

/** What is wrong with a plugin, as far as it can be told. */
class Refusal extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(formatReason(reason))
    this.reason = reason
  }
}

/** One pass over one socket: as many steps as follow from each other. */
export function createPluginReconciler(parts: PluginParts): Reconciler {
  const { clock, random, records, store, publication } = parts

  const readView = (path: string): RegistrationView => {
    const record = records.find(path)
    const offer = record && 'offer' in record.state ? record.state.offer : undefined
    const registered = record && offer ? store.findOther(offer.name, record.socket) : undefined
    // Of the facts that this socket has brought; those of another one of the same name are not its own.
    const isOurs = record && (record.state.kind === 'known' || record.state.kind === 'registered') && records.isPublishing(record.socket)
    const state = isOurs && offer ? publication.stateOf(offer.name) : undefined
    return {
      seen: { socket: parts.findSocket(path) },
      held: { nowMs: clock.monotonicMs(), record, ...(registered ? { registered } : {}), ...(state ? { publication: state } : {}) },
    }
  }

  const reconcile: Reconciler = async (path, { log, signal }) => {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      signal.throwIfAborted()
      const view = readView(path)
      const step = nextRegistrationStep(view)
      log.debug('registration step', { step: step.kind, ...('reason' in step ? { reason: step.reason } : {}) })
      const result = await perform(step, view.held?.record, path, signal)
      if (result) return result
    }
    return after(BACKOFF.initialMs)
  }

  /** Undefined: go on with the next step. */
  const perform = async (step: RegistrationStep, record: PluginRecord | undefined, path: string, signal: AbortSignal): Promise<WorkResult | undefined> => {
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
        return attempt(socket, signal, async (until) => {
          using registrar = socket.via === 'registrar' ? callRegistrar(path, parts) : undefined
          await refuse(registrar, step.reason, until)
        })
      case 'ask-node-again':
        await askNodeAgain(record, step.offer, signal)
        return undefined
      case 'ask-flag-again':
        await askFlagAgain(record, step.offer, signal)
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
  const attempt = async (socket: Sighting, signal: AbortSignal, act: (signal: AbortSignal) => Promise<void>, undo = drop): Promise<WorkResult | undefined> => {
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
  const fail = (socket: Sighting, before: PluginRecord | undefined, reason: Reason, isNobodyThere: boolean): WorkResult => {
    const failures = (before?.failures ?? 0) + 1
    const delayMs = isNobodyThere ? NO_SERVER_RETRY_MS : backoffDelayMs(BACKOFF, failures, random)
    records.set({ socket, failures, state: { kind: 'failed', reason, retryAtMs: clock.monotonicMs() + delayMs } })
    parts.tell(socket.path, reason)
    return after(delayMs)
  }

  const ask = async (socket: Sighting, signal: AbortSignal): Promise<void> => {
    const failures = records.find(socket.path)?.failures ?? 0
    const offer = socket.via === 'registrar' ? await askRegistrar(socket, signal) : await askAssumedDriver(socket, signal)
    records.set({ socket, failures, state: { kind: 'offered', offer } })
  }
  const askRegistrar = async ({ path }: Sighting, signal: AbortSignal): Promise<PluginOffer> => {
    using registrar = callRegistrar(path, parts)
    const info = await registrar.getInfo(signal)
    const checked = checkPluginInfo(info)
    if ('problem' in checked) return await refuse(registrar, checked.problem, signal)
    const wishes = await registrar.getWishes(signal)
    if (info.endpoint !== '' && wishes.endpoint !== '' && info.endpoint !== wishes.endpoint) {
      parts.log.warn('the registrar names two endpoints: the first is used', { path, endpoint: info.endpoint, other: wishes.endpoint })
    }
    const endpoint = await checkEndpoint(parts.files, checked.name, info.endpoint || wishes.endpoint || path, parts.endpointDirectories)
    if ('problem' in endpoint) return await refuse(registrar, endpoint.problem, signal)
    return { ...checked, endpoint: endpoint.path, requiresPublishPod: wishes.requiresPublishPod, isFlagOpen: wishes.isOpen }
  }
  /** From before there were registrars: a socket in a directory that is named after its driver. */
  const askAssumedDriver = async ({ path }: Sighting, signal: AbortSignal): Promise<PluginOffer> => {
    const directory = basename(dirname(path))
    const { driver, connection } = parts.connectDriver(path)
    try {
      const { name } = await driver.getPluginInfo({}, { signal })
      const [wrong] = validateCsiDriverName(name)
      if (wrong !== undefined) throw new Refusal(REASONS.badName(name, wrong))
      if (name !== directory) throw new Refusal(REASONS.otherDirectory(name, directory))
      return { name, endpoint: path, version: [1, 0], requiresPublishPod: false, isFlagOpen: false }
    } finally {
      connection.close()
    }
  }
  const refuse = async (registrar: RegistrarCall | undefined, reason: Reason, signal: AbortSignal): Promise<never> => {
    try {
      await registrar?.notify({ pluginRegistered: false, error: formatReason(reason) }, signal)
    } catch (error) {
      signal.throwIfAborted()
      // A registrar of today ends when it hears this, often before it has answered.
      parts.log.debug('the registrar did not take the refusal', { error })
    }
    throw new Refusal(reason)
  }

  const admit = async (record: PluginRecord, offer: PluginOffer, signal: AbortSignal): Promise<void> => {
    const { socket } = record
    const { name, endpoint, version, requiresPublishPod } = offer
    parts.onAdmitted(socket)
    store.remove(socket)
    const { driver, connection } = parts.connectDriver(endpoint)
    const add = (facts: NodeFacts | undefined): void => store.add(socket, { name, endpoint, driver, connection, version, requiresPublishPod, facts })
    // It may be called from now on: volumes of a driver that is only slow to tell about the node can be mounted. But one that serves is
    // not put aside before the new one has answered.
    const isReplacing = store.findOther(name, socket)?.isLeaving === false
    if (!isReplacing) add(undefined)
    try {
      const facts = await readFacts(name, driver, signal)
      if (isReplacing) add(facts)
      else store.change(socket, { facts })
      connection.watch((state) => {
        if (state.kind === 'ready' && state.times > 1) noteRestart(socket)
      })
      records.set({ ...record, state: { kind: 'known', offer, facts } })
    } catch (error) {
      if (isReplacing) connection.close()
      signal.throwIfAborted()
      using registrar = socket.via === 'registrar' ? callRegistrar(socket.path, parts) : undefined
      await refuse(registrar, reasonOf(error), signal)
    }
  }
  const readFacts = async (name: string, driver: ReturnType<PluginParts['connectDriver']>['driver'], signal: AbortSignal): Promise<NodeFacts> => {
    const answer = await askNodeInfo(driver, parts, signal).catch((error: unknown): never => {
      signal.throwIfAborted()
      throw new Refusal(REASONS.nodeInfoFailed(name, messageOf(error)))
    })
    if (answer.maxVolumesPerNode < 0n) parts.log.warn('the driver gives a negative limit of volumes: it is left out', { driver: name })
    const checked = checkNodeInfo(name, answer)
    if ('problem' in checked) throw new Refusal(checked.problem)
    return checked.facts
  }

  const confirm = async (record: PluginRecord, offer: PluginOffer, facts: NodeFacts, signal: AbortSignal): Promise<void> => {
    if (record.socket.via === 'registrar') {
      using registrar = callRegistrar(record.socket.path, parts)
      await registrar.notify({ pluginRegistered: true, error: '' }, signal).catch((error: unknown): never => {
        signal.throwIfAborted()
        throw new Refusal(REASONS.notifyFailed(offer.name, messageOf(error)))
      })
    }
    const again = offer.isFlagOpen ? { again: { what: 'flag' as const, atMs: clock.monotonicMs() + BACKOFF.initialMs } } : {}
    records.set({ socket: record.socket, failures: 0, state: { kind: 'registered', offer, facts }, ...again })
    parts.log.info('the driver is registered', { driver: offer.name, endpoint: offer.endpoint, requiresPublishPod: offer.requiresPublishPod })
    parts.onRegistered(offer.name)
  }

  const noteRestart = (socket: Sighting): void => {
    const record = records.find(socket.path)
    if (record?.socket.identity !== socket.identity || record.state.kind !== 'registered') return
    records.set({ ...record, again: { what: 'node', atMs: clock.monotonicMs() } })
    parts.enqueue(socket.path)
  }
  /** A driver that does not answer now keeps its place: its socket and its registrar are still there. */
  const askNodeAgain = async (record: PluginRecord, offer: PluginOffer, signal: AbortSignal): Promise<void> => {
    const { again: _asked, ...rest } = record
    using work = records.startWork(record.socket.path, signal)
    try {
      const driver = store.get(record.socket)?.driver
      if (!driver) return records.set({ ...rest, failures: 0 })
      const facts = await readFacts(offer.name, driver, work.signal)
      store.change(record.socket, { facts })
      const next = offer.isFlagOpen ? { again: { what: 'flag' as const, atMs: clock.monotonicMs() } } : {}
      records.set({ ...rest, failures: 0, state: { kind: 'registered', offer, facts }, ...next })
      if (records.isPublishing(record.socket)) publication.publish(offer.name, facts)
    } catch (error) {
      signal.throwIfAborted()
      if (!work.signal.aborted) askLater(record, 'node', error)
    }
  }
  const askFlagAgain = async (record: PluginRecord, offer: PluginOffer, signal: AbortSignal): Promise<void> => {
    using work = records.startWork(record.socket.path, signal)
    try {
      using registrar = callRegistrar(record.socket.path, parts)
      const wishes = await registrar.getWishes(work.signal)
      if (wishes.isOpen) return askLater(record, 'flag', undefined)
      const { again: _asked, ...rest } = record
      if (record.state.kind !== 'registered') return
      const { requiresPublishPod } = wishes
      store.change(record.socket, { requiresPublishPod })
      records.set({ ...rest, failures: 0, state: { ...record.state, offer: { ...offer, requiresPublishPod, isFlagOpen: false } } })
    } catch (error) {
      signal.throwIfAborted()
      if (!work.signal.aborted) askLater(record, 'flag', error)
    }
  }
  const askLater = (record: PluginRecord, what: 'node' | 'flag', error: unknown): void => {
    const failures = record.failures + 1
    if (error !== undefined) parts.log.warn('a registered driver did not answer: it is asked again', { path: record.socket.path, what, error })
    records.set({ ...record, failures, again: { what, atMs: clock.monotonicMs() + backoffDelayMs(BACKOFF, failures, random) } })
  }
  return reconcile
}

function reasonOf(error: unknown): Reason {
  if (error instanceof Refusal) return error.reason
  if (error instanceof NoServerError) return REASONS.noServer
  return error instanceof CsiError ? REASONS.noAnswer(messageOf(error)) : REASONS.unexpected(messageOf(error))
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
