import { backoffDelayMs } from '../../base/backoff.ts'
import { after, defineController, on } from '../../kube/controller/index.ts'
import type { Pass } from '../../kube/controller/index.ts'
import { createAfterRegistration } from './after-registration.ts'
import { askOffer, callRegistrar, failureOf, tellRefusal } from './ask-registrar.ts'
import { nextRegistrationStep } from './next-registration-step.ts'
import type { RegistrationStep } from './next-registration-step.ts'
import { readNodeFacts } from './node-facts.ts'
import type { NodeFacts } from './node-facts.ts'
import { messageOf, PluginRefusal, REASONS } from './reasons.ts'
import type { PluginFailure } from './reasons.ts'
import { readRegistrationView } from './registration-view.ts'
import type { PluginRecord, PluginState, RegistrationView } from './registration-view.ts'
import type { RegistrationContext } from './registration-context.ts'
import type { Sighting } from './watch-registry.ts'

/** Between tries with anything about a plugin. */
const BACKOFF = { initialMs: 500, maximumMs: 122_000 }
// The owner of a stale socket may come back at any moment.
const NO_SERVER_RETRY_MS = 1000
// A socket that hangs takes a worker for some seconds, so there are more workers than sockets of well-behaved drivers.
const WORKERS = 64

type StepOf<Kind extends RegistrationStep['kind']> = Extract<RegistrationStep, { kind: Kind }>
/** Works for one socket. The signal also aborts when the socket is removed or replaced. */
type Act<Step> = (step: Step, socket: Sighting, signal: AbortSignal) => Promise<void>

/** Registers the plugin at one socket. */
export function definePlugins(context: RegistrationContext) {
  const { clock, random, log, config, records, store, sockets, notices } = context
  const queue = context.createQueue({ name: 'node-registration', lanes: { default: WORKERS }, backoff: BACKOFF })
  const { onAnswered, onRegistered } = createAfterRegistration(context)

  const failuresAt = (path: string): number => records.get(path)?.failures ?? 0
  const record = (socket: Sighting, state: PluginState, rest: Partial<PluginRecord> = {}): void =>
    void records.set(socket.path, { socket, state, failures: failuresAt(socket.path), ...rest })
  const askAt = (what: 'node' | 'flag', inMs = 0) => ({ again: { what, atMs: clock.monotonicMs() + inMs } })

  /** A registered driver lost its socket or its registrar: it is removed unless it comes back. */
  const leave = (socket: Sighting, driver: string): void => {
    const { graceMs } = config
    log.info('the registration of a driver is gone: keeping it for a while', { driver, ...socket, graceMs })
    store.leave(socket)
  }
  /** Removes everything that a socket registered immediately, including what was kept for its return. */
  const drop = (socket: Sighting, driver: string): void => {
    store.remove(socket)
    store.removeLeaving(driver)
  }
  const fail = (socket: Sighting, failure: PluginFailure): void => {
    const { path } = socket
    const failures = failuresAt(path) + 1
    const isStale = failure.reason === REASONS.NobodyServesSocket
    const retryAtMs = clock.monotonicMs() + (isStale ? NO_SERVER_RETRY_MS : backoffDelayMs(BACKOFF, failures, random))
    record(socket, { kind: 'failed', ...failure, retryAtMs }, { failures })
    notices.tell(path, failure.reason)
  }
  /** A registered driver that does not answer stays registered: its socket and its registrar are still there. */
  const askLater = ({ socket, state, again }: PluginRecord): void => {
    const failures = failuresAt(socket.path) + 1
    record(socket, state, { failures, ...askAt(again?.what ?? 'node', backoffDelayMs(BACKOFF, failures, random)) })
  }
  const noteRestart = (socket: Sighting): void => {
    const known = records.get(socket.path)
    if (known?.socket.identity !== socket.identity || known.state.kind !== 'registered') return
    record(socket, known.state, askAt('node'))
    queue.add(socket.path)
  }

  const admit: Act<StepOf<'ask-node'>> = async ({ offer }, socket, signal) => {
    const { name, isFlagOpen: _flag, ...described } = offer
    const { driver, connection } = context.connectDriver(offer.endpoint)
    const add = (facts: NodeFacts | undefined): void =>
      store.add(socket, { name, ...described, driver, connection, facts })
    // Volumes of a driver can be mounted before it has answered about the node. But one that serves is not replaced until the new one
    // has answered.
    const isReplacing = store.findOther(name, socket)?.isLeaving === false
    if (!isReplacing) add(undefined)
    try {
      const facts = await readNodeFacts(name, driver, context, signal)
      if (isReplacing) add(facts)
      else store.change(socket, { facts })
      connection.watch((state) => {
        if (state.kind === 'ready' && state.times > 1) noteRestart(socket)
      })
      record(socket, { kind: 'known', offer })
    } catch (error) {
      if (isReplacing) connection.close()
      signal.throwIfAborted()
      await tellRefusal(socket, failureOf(error).reason, context, signal)
      throw error
    }
  }
  const confirm: Act<StepOf<'confirm'>> = async ({ offer }, socket, signal) => {
    const { name, endpoint, requiresPublishPod } = offer
    if (socket.via === 'registrar') {
      using registrar = callRegistrar(socket.path, context)
      await registrar.confirm(signal).catch((error: unknown): never => {
        signal.throwIfAborted()
        throw new PluginRefusal(REASONS.RegistrarNotTold(name, messageOf(error)), { isUnanswered: true })
      })
    }
    const again = offer.isFlagOpen ? askAt('flag', BACKOFF.initialMs) : {}
    record(socket, { kind: 'registered', offer }, { failures: 0, ...again })
    log.info('driver registered', { driver: name, endpoint, requiresPublishPod })
    onRegistered(name, socket)
  }
  const refuse: Act<StepOf<'refuse'>> = async ({ offer: { name }, reason, isDuplicate }, socket, signal) => {
    await tellRefusal(socket, reason, context, signal)
    drop(socket, name)
    fail(socket, { reason, ...(isDuplicate ? { duplicateOf: name } : {}) })
  }
  const askNodeAgain: Act<StepOf<'ask-node-again'>> = async ({ offer }, socket, signal) => {
    const driver = store.get(socket)?.driver
    if (driver) store.change(socket, { facts: await readNodeFacts(offer.name, driver, context, signal) })
    record(socket, { kind: 'registered', offer }, { failures: 0, ...(offer.isFlagOpen ? askAt('flag') : {}) })
    onAnswered(socket)
  }
  const askFlagAgain: Act<StepOf<'ask-flag-again'>> = async ({ offer }, socket, signal) => {
    using registrar = callRegistrar(socket.path, context)
    const { isOpen, requiresPublishPod } = await registrar.getWishes(signal)
    const known = records.get(socket.path)
    if (isOpen && known) return askLater(known)
    store.change(socket, { requiresPublishPod })
    const answered = { ...offer, requiresPublishPod, isFlagOpen: false }
    record(socket, { kind: 'registered', offer: answered }, { failures: 0 })
  }
  const at =
    <Step>(act: Act<Step>) =>
    async (step: Step, { key, view, signal }: Pass<RegistrationView>): Promise<void> => {
      if (view.socket) await act(step, view.socket, AbortSignal.any([signal, sockets.signalOf(key)]))
    }

  return defineController<RegistrationView, RegistrationStep>({
    name: 'node-registration',
    queue,
    watch: [on(sockets.changes, (path) => path)],
    view: (path) => readRegistrationView(path, context),
    decide: nextRegistrationStep,
    perform: {
      forget: ({ record: { socket, state } }, { key: path }) => {
        records.delete(path)
        if (state.kind === 'registered') leave(socket, state.offer.name)
        else if (state.kind !== 'failed') drop(socket, state.offer.name)
      },
      ask: at(async (_step, socket, signal) =>
        record(socket, { kind: 'offered', offer: await askOffer(socket, context, signal) }),
      ),
      'ask-node': at(admit),
      confirm: at(confirm),
      refuse: at(refuse),
      'ask-node-again': at(askNodeAgain),
      'ask-flag-again': at(askFlagAgain),
    },
    onError: (error, { key: path, view: { socket } }) => {
      const known = records.get(path)
      // Another socket exists now: the responses of the old one no longer count.
      if (!socket || sockets.find(path)?.identity !== socket.identity) return after(0)
      if (known?.state.kind === 'registered') {
        if (notices.isNews(path, messageOf(error)))
          log.warn('a registered driver did not answer and is asked again', { path, what: known.again?.what, error })
        askLater(known)
        return after(0)
      }
      // A registrar that could not be notified undoes the registration; that is tried again before anybody sees it.
      if (known?.state.kind === 'known') leave(socket, known.state.offer.name)
      else if (known?.state.kind === 'offered') drop(socket, known.state.offer.name)
      fail(socket, failureOf(error))
      return after(0)
    },
  })
}
