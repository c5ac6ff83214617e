import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import { defineController, on } from '../../kube/controller/index.ts'
import type { ControllerRole, FollowedKind, Pass, WaitStep } from '../../kube/controller/index.ts'
import type { DriverStore } from './driver-store.ts'
import { REASONS } from './reasons.ts'

/** `dueInMs`: when the driver is next asked. Undefined: not planned yet. */
type AllocatableView = { readonly name: string; readonly periodMs: number; readonly dueInMs: number | undefined }
type AllocatableStep = WaitStep | { readonly kind: 'plan' } | { readonly kind: 'refresh' }
type Memory = { readonly periodMs: number; readonly dueAtMs: number }

// The server refuses less; an object of another server may have it.
const SHORTEST_SECONDS = 10

/** Asks drivers periodically how many volumes the node can have, if their CSIDriver object says so. */
export function defineAllocatable(
  { clock }: ControllerRole,
  csiDrivers: FollowedKind<CSIDriver>,
  store: DriverStore,
  refresh: (driver: string) => Promise<void>,
) {
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
      const dueInMs = memory?.periodMs === periodMs ? memory.dueAtMs - clock.monotonicMs() : undefined
      return { name, periodMs, dueInMs }
    },
    decide: ({ name, dueInMs }) => {
      if (dueInMs === undefined) return { kind: 'plan' }
      return dueInMs > 0
        ? { kind: 'wait', reason: REASONS.limitCurrent(name), retryInMs: dueInMs }
        : { kind: 'refresh' }
    },
    perform: {
      plan: (_step, pass) => plan(pass),
      refresh: async (_step, pass) => {
        await refresh(pass.key).catch((error: unknown) =>
          pass.log.warn('failed to read the volume limit of the driver', { driver: pass.key, error }),
        )
        plan(pass)
      },
    },
  })
}
