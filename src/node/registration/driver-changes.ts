import { isAlreadyExists } from '../../api/api-error.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { withoutUndefined } from '../../base/without-undefined.ts'
import type { CallOptions } from '../../csi/call-options.ts'
import {
  ControllerServiceCapability_RPC_Type as Capability,
  PluginCapability_Service_Type as Service,
} from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'
import { defineController } from '../../kube/controller/index.ts'
import type { WaitStep, WorkQueue } from '../../kube/controller/index.ts'
import type { WritableDriverStore } from './driver-store.ts'
import type { PluginNotices } from './plugin-notices.ts'
import type { Publication } from './publication-controller.ts'
import { messageOf, REASONS } from './reasons.ts'
import type { RegistrationRole } from './registration-options.ts'
import type { PluginRecords } from './registration-view.ts'
import type { Sighting } from './watch-registry.ts'

/** What all of registration shares: sockets, the drivers that can be called, and what is published about them. */
export type RegistrationContext = RegistrationRole & {
  /** Of the paths of sockets. */
  readonly queue: WorkQueue
  readonly records: PluginRecords
  readonly store: WritableDriverStore
  readonly publication: Publication
  readonly notices: PluginNotices
}

export type DriverChanges = ReturnType<typeof createDriverChanges>
type DepartureView = { readonly socket: Sighting; readonly inMs: number }

const NAME_TIMEOUT_MS = 5000
const CAPABILITIES_TIMEOUT_MS = 15_000

/** What follows when another driver, or none, serves a name. */
export function createDriverChanges(context: RegistrationContext) {
  const { api, clock, config, log, signal, queue, records, store, publication, notices } = context
  const departures = context.createQueue({ name: 'node-departures' })
  const csiDrivers = context.follow(CSI_DRIVERS, { isAwaited: false })

  /** Publishes what serves the name now, or nothing. */
  const restore = (name: string): void => {
    const [socket, left] = [store.servingSocket(name), store.find(name)]
    if (!socket || !left) return publication.withdraw(name)
    if (!left.facts) return
    records.publishing.set(name, socket)
    publication.publish(name, left.facts)
  }
  /** Plugins that were refused because of a driver of this name may try again. */
  const retryDuplicates = (name: string): void => {
    for (const record of records.all()) {
      const { state, socket } = record
      if (state.kind !== 'failed' || state.duplicateOf !== name) continue
      records.set({ ...record, failures: 0, state: { ...state, retryAtMs: clock.monotonicMs() } })
      queue.add(socket.path)
    }
  }
  /** A registered driver lost its socket or its registrar: it is removed unless it comes back. */
  const leave = (socket: Sighting, name: string): void => {
    const { graceMs } = config
    log.info('the registration of a driver is gone: keeping it for a while', { driver: name, ...socket, graceMs })
    store.leave(socket, clock.monotonicMs() + graceMs)
    departures.add(name)
    retryDuplicates(name)
  }
  const departureController = defineController<DepartureView, WaitStep | { readonly kind: 'remove' }>({
    name: 'node-departures',
    queue: departures,
    watch: [],
    view: (name) => {
      const leaving = store.findLeaving(name)
      return leaving && { socket: leaving.socket, inMs: leaving.atMs - clock.monotonicMs() }
    },
    decide: ({ inMs }) => (inMs > 0 ? { kind: 'wait', reason: REASONS.leaving, retryInMs: inMs } : { kind: 'remove' }),
    perform: {
      remove: (_step, { key: name, view }) => {
        store.remove(view.socket)
        restore(name)
        retryDuplicates(name)
      },
    },
  })

  /** Kubernetes never compares the two names, so a difference is only reported. */
  const compareNames = async (socket: Sighting): Promise<void> => {
    const registered = store.get(socket)
    if (!registered) return
    const { name, endpoint, driver } = registered
    const { name: reported } = await driver.getPluginInfo({}, { timeoutMs: NAME_TIMEOUT_MS, signal })
    if (reported !== name)
      notices.warn(socket.path, REASONS.otherName(name, reported, endpoint), { registered: name, reported })
  }
  const onAnswered = (socket: Sighting): void =>
    void compareNames(socket).catch((error: unknown) => {
      if (!signal.aborted)
        log.debug('failed to read the name of the driver', { path: socket.path, error: messageOf(error) })
    })
  /** Creates the object of a driver that has none. Leaves an existing one alone: nodes must not disagree about it. */
  const provideCsiDriver = async (name: string): Promise<void> => {
    await csiDrivers.synced(signal)
    const registered = store.find(name)
    if (!registered || csiDrivers.get(name)) return
    const limits = { timeoutMs: CAPABILITIES_TIMEOUT_MS, signal }
    const spec = withoutUndefined({ attachRequired: await findAttachRequired(registered.driver, limits) })
    try {
      await api.create(CSI_DRIVERS, { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec })
      log.info('CSIDriver object created', { driver: name })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }
  const onRegistered = (name: string, socket: Sighting): void => {
    notices.forget(socket.path)
    onAnswered(socket)
    if (!config.createCsiDrivers) return
    void provideCsiDriver(name).catch((error: unknown) => {
      if (signal.aborted) return
      log.warn('failed to create the CSIDriver object', { driver: name, error })
      notices.report(REASONS.csiDriverNotMade(name, messageOf(error)))
    })
  }
  return { departureController, restore, retryDuplicates, leave, onAnswered, onRegistered }
}

/** Undefined if this part of the driver can't tell: its controller may run elsewhere, and the default is to attach. */
async function findAttachRequired(driver: Driver, options: CallOptions): Promise<boolean | undefined> {
  const { capabilities } = await driver.getPluginCapabilities({}, options)
  if (!capabilities.some(({ type }) => type?.$case === 'service' && type.value.type === Service.CONTROLLER_SERVICE))
    return undefined
  const controller = await driver.controllerGetCapabilities({}, options)
  return controller.capabilities.some(({ type }) => type?.value.type === Capability.PUBLISH_UNPUBLISH_VOLUME)
}
