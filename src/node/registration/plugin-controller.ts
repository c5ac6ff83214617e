import { backoffDelayMs } from '../../base/backoff.ts'
import { after, defineController } from '../../kube/controller/index.ts'
import type { Pass, StepOutcome } from '../../kube/controller/index.ts'
import { askOffer, callRegistrar, failureOf, NoServerError, refusePlugin } from './ask-registrar.ts'
import type { DriverChanges, RegistrationContext } from './driver-changes.ts'
import { nextRegistrationStep } from './next-registration-step.ts'
import type { RegistrationStep } from './next-registration-step.ts'
import { readNodeFacts } from './node-facts.ts'
import type { NodeFacts } from './node-facts.ts'
import type { PluginOffer } from './plugin-offer.ts'
import { readRegistrationView } from './registration-view.ts'
import type { PluginRecord, RegistrationView } from './registration-view.ts'
import { messageOf, PluginRefusal, REASONS } from './reasons.ts'
import type { Sighting } from './watch-registry.ts'

/** Between tries with anything about a plugin. */
export const PLUGIN_BACKOFF = { initialMs: 500, maximumMs: 122_000 }
// The owner of a stale socket may come back at any moment.
const NO_SERVER_RETRY_MS = 1000
const NOT_YET_ASKED = { kind: 'failed', reason: REASONS.notYetAsked, retryAtMs: 0 } as const

type PluginPass = Pass<RegistrationView>
type StepOf<Kind extends RegistrationStep['kind']> = Extract<RegistrationStep, { kind: Kind }>
/** Works for one socket. Ends early when the socket is replaced. */
type Act<Step> = (step: Step, known: PluginRecord, signal: AbortSignal) => Promise<void>

/** Registers the plugin at one socket. */
export function definePlugins(
  parts: RegistrationContext,
  changes: DriverChanges,
  findSocket: (path: string) => Sighting | undefined,
) {
  const { clock, random, records, store, publication, queue, notices } = parts

  const leave = ({ socket, state }: PluginRecord): void => {
    if ('offer' in state) changes.leave(socket, state.offer.name)
  }
  /** Removes what a socket has brought, at once, with what was kept for its return. */
  const drop = ({ socket, state }: PluginRecord): void => {
    if (!('offer' in state)) return
    const { name } = state.offer
    const isRemoved = store.remove(socket)
    store.removeLeaving(name)
    changes.restore(name)
    if (isRemoved) changes.retryDuplicates(name)
  }

  const work =
    <Step>(act: Act<Step>, fail: (error: unknown, known: PluginRecord) => StepOutcome) =>
    async (step: Step, { key: path, view, signal }: PluginPass): Promise<StepOutcome> => {
      const { socket } = view.seen
      if (!socket) return
      const known = view.held?.record ?? { socket, failures: 0, state: NOT_YET_ASKED }
      using working = records.startWork(path, signal)
      try {
        await act(step, known, working.signal)
      } catch (error) {
        signal.throwIfAborted()
        // Another socket is there now: nothing that the old one said counts.
        return working.signal.aborted ? after(0) : fail(error, known)
      }
    }
  /** Does it, or notes why not and when to try again. */
  const attempt = <Step>(act: Act<Step>, undo = drop) =>
    work(act, (error, { socket }) => {
      const before = records.find(socket.path)
      if (before) undo(before)
      const failure = failureOf(error)
      const failures = (before?.failures ?? 0) + 1
      const delayMs =
        error instanceof NoServerError ? NO_SERVER_RETRY_MS : backoffDelayMs(PLUGIN_BACKOFF, failures, random)
      records.set({ socket, failures, state: { kind: 'failed', ...failure, retryAtMs: clock.monotonicMs() + delayMs } })
      notices.tell(socket.path, failure.reason)
      return after(delayMs)
    })
  /** Asks a registered driver. One that does not answer stays registered: its socket and its registrar are still there. */
  const askAgain = (what: 'node' | 'flag', act: Act<{ offer: PluginOffer }>) =>
    work<{ offer: PluginOffer }>(
      (step, { again: _asked, ...known }, signal) => act(step, { ...known, failures: 0 }, signal),
      (error, known) => {
        const { path } = known.socket
        if (error !== UNDECIDED && notices.isNews(path, messageOf(error)))
          parts.log.warn('a registered driver did not answer and is asked again', { path, what, error })
        const failures = known.failures + 1
        records.set({ ...known, failures, again: askAt(what, backoffDelayMs(PLUGIN_BACKOFF, failures, random)) })
      },
    )
  const askAt = (what: 'node' | 'flag', inMs = 0) => ({ what, atMs: clock.monotonicMs() + inMs })
  const noteRestart = (socket: Sighting): void => {
    const record = records.find(socket.path)
    if (record?.socket.identity !== socket.identity || record.state.kind !== 'registered') return
    records.set({ ...record, again: askAt('node') })
    queue.add(socket.path)
  }

  const admit: Act<StepOf<'ask-node'>> = async ({ offer }, { socket, failures }, signal) => {
    const { name, isFlagOpen: _flag, ...described } = offer
    store.remove(socket)
    const { driver, connection } = parts.connectDriver(offer.endpoint)
    const add = (facts: NodeFacts | undefined): void =>
      store.add(socket, { name, ...described, driver, connection, facts })
    // Volumes of a driver can be mounted before it has answered about the node. But one that serves is not replaced until the new one
    // has answered.
    const isReplacing = store.findOther(name, socket)?.isLeaving === false
    if (!isReplacing) add(undefined)
    try {
      const facts = await readNodeFacts(name, driver, parts, signal)
      if (isReplacing) add(facts)
      else store.change(socket, { facts })
      connection.watch((state) => {
        if (state.kind === 'ready' && state.times > 1) noteRestart(socket)
      })
      records.set({ socket, failures, state: { kind: 'known', offer, facts } })
    } catch (error) {
      if (isReplacing) connection.close()
      signal.throwIfAborted()
      await refusePlugin(socket, failureOf(error), parts, signal)
    }
  }
  const confirm: Act<StepOf<'confirm'>> = async ({ offer, facts }, { socket }, signal) => {
    const { name, endpoint, requiresPublishPod } = offer
    if (socket.via === 'registrar') {
      using registrar = callRegistrar(socket.path, parts)
      await registrar.confirm(signal).catch((error: unknown): never => {
        signal.throwIfAborted()
        throw new PluginRefusal(REASONS.notifyFailed(name, messageOf(error)), { isUnanswered: true })
      })
    }
    const again = offer.isFlagOpen ? { again: askAt('flag', PLUGIN_BACKOFF.initialMs) } : {}
    records.set({ socket, failures: 0, state: { kind: 'registered', offer, facts }, ...again })
    parts.log.info('driver registered', { driver: name, endpoint, requiresPublishPod })
    changes.onRegistered(name, socket)
  }

  return defineController<RegistrationView, RegistrationStep>({
    name: 'node-registration',
    queue,
    watch: [],
    view: (path) => readRegistrationView(path, findSocket(path), parts),
    decide: nextRegistrationStep,
    perform: {
      forget: ({ record }) => {
        records.remove(record.socket.path)
        if (record.state.kind === 'registered') leave(record)
        else drop(record)
      },
      ask: attempt(async (_step, { socket, failures }, signal) => {
        records.set({ socket, failures, state: { kind: 'offered', offer: await askOffer(socket, parts, signal) } })
      }),
      'ask-node': attempt(admit),
      publish: ({ offer, facts }, { view }) => {
        if (view.seen.socket) records.publishing.set(offer.name, view.seen.socket)
        publication.publish(offer.name, facts)
      },
      // A registrar that could not be notified undoes the registration; that is tried again before anybody sees it.
      confirm: attempt(confirm, leave),
      refuse: attempt<StepOf<'refuse'>>(({ offer, reason, isDuplicate }, { socket }, signal) =>
        refusePlugin(socket, { reason, ...(isDuplicate ? { duplicateOf: offer.name } : {}) }, parts, signal),
      ),
      'ask-node-again': askAgain('node', async ({ offer }, record, signal) => {
        const { socket } = record
        const driver = store.get(socket)?.driver
        if (!driver) return records.set(record)
        const facts = await readNodeFacts(offer.name, driver, parts, signal)
        store.change(socket, { facts })
        const again = offer.isFlagOpen ? { again: askAt('flag') } : {}
        records.set({ ...record, state: { kind: 'registered', offer, facts }, ...again })
        if (records.isPublishing(socket)) publication.publish(offer.name, facts)
        changes.onAnswered(socket)
      }),
      'ask-flag-again': askAgain('flag', async ({ offer }, record, signal) => {
        using registrar = callRegistrar(record.socket.path, parts)
        const { isOpen, requiresPublishPod } = await registrar.getWishes(signal)
        if (isOpen) throw UNDECIDED
        const { socket, state } = record
        if (state.kind !== 'registered') return
        store.change(socket, { requiresPublishPod })
        records.set({ ...record, state: { ...state, offer: { ...offer, requiresPublishPod, isFlagOpen: false } } })
      }),
    },
  })
}

/** The registrar did not answer, which was logged already. */
const UNDECIDED = new Error('the registrar did not say whether its driver requires pod information')
