import { defineController } from '../../kube/controller/index.ts'
import type { ControllerRole, WaitStep, WorkQueue } from '../../kube/controller/index.ts'
import type { RegistrationKey, WritableDriverStore } from './driver-store.ts'
import { REASONS } from './reasons.ts'

type DepartureView = { readonly name: string; readonly key: RegistrationKey; readonly inMs: number }

/** Removes drivers whose registration socket did not come back in time. */
export const defineDepartures = (
  { clock }: ControllerRole,
  queue: WorkQueue,
  store: WritableDriverStore,
  onRemoved: (driver: string) => void,
) =>
  defineController<DepartureView, WaitStep | { readonly kind: 'remove' }>({
    name: 'node-departures',
    queue,
    watch: [],
    view: (name) => {
      const leaving = store.findLeaving(name)
      return leaving && { name, key: leaving.key, inMs: leaving.atMs - clock.monotonicMs() }
    },
    decide: ({ name, inMs }) =>
      inMs > 0 ? { kind: 'wait', reason: REASONS.leaving(name), retryInMs: inMs } : { kind: 'remove' },
    perform: {
      remove: (_step, { view }) => {
        store.remove(view.key)
        onRemoved(view.name)
      },
    },
  })
