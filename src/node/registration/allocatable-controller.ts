import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { defineController, on } from '../../kube/controller/index.ts'
import type { Pass, WaitStep } from '../../kube/controller/index.ts'
import type { RegistrationContext } from './start-registration.ts'
import { readNodeFacts } from './node-facts.ts'
import { REASONS } from './reasons.ts'

/** `dueInMs`: when the driver is next asked. Undefined: not planned yet. */
type AllocatableView = { readonly periodMs: number; readonly dueInMs: number | undefined }
type AllocatableStep = WaitStep | { readonly kind: 'plan' } | { readonly kind: 'refresh' }
type Memory = { readonly periodMs: number; readonly dueAtMs: number }

// The server refuses less; an object of another server may have it.
const SHORTEST_SECONDS = 10

/** Asks the driver how many volumes the node can have, and publishes it. Does nothing for a driver that is not registered. */
export async function refreshAllocatable(name: string, context: RegistrationContext): Promise<void> {
  const { store } = context
  const [driver, socket] = [store.find(name), store.servingSocket(name)]
  if (!driver?.facts || !socket) return
  const { facts } = driver
  const { maxVolumes } = await readNodeFacts(name, driver.driver, context, context.signal)
  // Only the limit: anything else that differs has to wait for the next registration.
  if (store.get(socket)?.facts === facts && facts.maxVolumes !== maxVolumes)
    store.change(socket, { facts: { ...facts, maxVolumes } })
}

/** Asks drivers periodically how many volumes the node can have, if their CSIDriver object says so. */
export function defineAllocatable(context: RegistrationContext) {
  const { clock, store } = context
  const csiDrivers = context.follow(CSI_DRIVERS, { isAwaited: false })
  const plan = (pass: Pass<AllocatableView, Memory>): void => {
    const { periodMs } = pass.view
    pass.memory = { periodMs, dueAtMs: clock.monotonicMs() + periodMs }
  }
  return defineController<AllocatableView, AllocatableStep, Memory>({
    name: 'node-allocatable',
    watch: [on(csiDrivers, ({ key }) => key), (enqueue) => store.onChange(enqueue)],
    view: (name, { memory }) => {
      const seconds = store.find(name) && csiDrivers.get(name)?.spec.nodeAllocatableUpdatePeriodSeconds
      if (!seconds) return undefined
      const periodMs = Math.max(seconds, SHORTEST_SECONDS) * 1000
      return { periodMs, dueInMs: memory?.periodMs === periodMs ? memory.dueAtMs - clock.monotonicMs() : undefined }
    },
    decide: ({ dueInMs }) => {
      if (dueInMs === undefined) return { kind: 'plan' }
      return dueInMs > 0 ? { kind: 'wait', reason: REASONS.limitCurrent, retryInMs: dueInMs } : { kind: 'refresh' }
    },
    perform: {
      plan: (_step, pass) => plan(pass),
      refresh: async (_step, pass) => {
        await refreshAllocatable(pass.key, context).catch((error: unknown) =>
          pass.log.warn('failed to read the volume limit of the driver', { error }),
        )
        plan(pass)
      },
    },
  })
}
