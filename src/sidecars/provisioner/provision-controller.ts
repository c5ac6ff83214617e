import { isForbidden, isLasting } from '../../api/api-error.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import { formatReason } from '../../api/reason.ts'
import { defineController, DONE, FAILED } from '../../kube/controller/index.ts'
import type { ControllerRole, Watch, WorkQueue } from '../../kube/controller/index.ts'
import { attemptSteps } from './attempt-steps.ts'
import type { ClaimPass, ProvisionerState, StepOf } from './attempt-steps.ts'
import { contentionSteps } from './contend/contention-steps.ts'
import { JournalError } from './journal/journal.ts'
import { nextProvisionStep } from './next-provision-step.ts'
import type { ProvisionStep } from './next-provision-step.ts'
import { readProvisionView } from './provision-view.ts'
import type { ClaimMemory, ProvisionView, ReadObjects } from './provision-view.ts'
import { createAwaitedObjects, readWanted } from './uncached-objects.ts'
import { claimUidOf } from '../../storage/life-of.ts'

/** Creates a volume for each claim of the driver. Keys are the UIDs of claims. */
export function defineProvisionController(
  role: ControllerRole,
  state: ProvisionerState,
  { queue, watch }: { readonly queue: WorkQueue; readonly watch: readonly Watch[] },
) {
  const { api, clock } = role
  const { settings, facts, sources, attempts } = state
  const awaited = createAwaitedObjects(role, (uid) => queue.add(uid))
  /** Brings the claim back when the object in its reason changes: an object of a kind that is not cached is watched individually. */
  const awaitObject = ({ reason: { waitsFor } }: StepOf<'wait' | 'refuse'>, { key }: ClaimPass): void => {
    if (waitsFor?.kind === 'object') awaited.wait(waitsFor, key)
  }
  const { reportFailure, announce, store, ...attempt } = attemptSteps(role, state, awaitObject)
  const protectSource = async ({ object }: StepOf<'protect-source'>): Promise<ReadObjects> => {
    if (object.kind === 'PersistentVolumeClaim')
      return { sourceClaim: await api.update(PERSISTENT_VOLUME_CLAIMS, object) }
    try {
      return { snapshot: await api.update(VOLUME_SNAPSHOTS, object) }
    } catch (error) {
      if (isForbidden(error)) return { protectionForbidden: true }
      throw error
    }
  }
  const intoReads =
    <Step>(act: (step: Step, pass: ClaimPass) => Promise<ReadObjects>) =>
    async (step: Step, pass: ClaimPass): Promise<void> => {
      pass.reads = { ...pass.reads, ...(await act(step, pass)) }
    }

  return defineController<ProvisionView, ProvisionStep, ClaimMemory, ReadObjects>({
    name: 'provisioner',
    queue,
    watch,
    view: (uid, { memory, reads }) => {
      const held = { facts, settings, nowMs: clock.monotonicMs(), attempt: attempts.get(uid), ...memory }
      const view = readProvisionView(sources, uid, reads, held)
      const { claim } = view.seen
      return held.attempt || (claim && !claim.spec.volumeName) ? view : undefined
    },
    onView: ({ key }) => awaited.cancel(key),
    forget: awaited.cancel,
    decide: nextProvisionStep,
    lifeOf: ({ seen }) => [seen.claim?.metadata.uid ?? claimUidOf(seen.volume)],
    // Creating and deleting a volume never happen at the same time.
    resource: (_view, uid) => uid,
    onError: (error, pass) => {
      if (!(error instanceof JournalError) && !isLasting(error)) return undefined
      reportFailure(pass, error.message)
      return FAILED
    },
    perform: {
      wait: awaitObject,
      read: intoReads(({ wanted }) => readWanted(api, wanted)),
      ...contentionSteps(settings, state, role),
      'hand-off': (step, pass) => {
        const { claim } = pass.view.seen
        const text = formatReason(step.reason)
        if (step.reason.code === 'PopulatorExpected') announce(text, pass)
        else if (claim) pass.say(claim, { type: 'Warning', event: 'UnrecognizedDataSourceKind' }, text)
        pass.waitFor(step)
        return DONE
      },
      'protect-source': intoReads(protectSource),
      store: intoReads(store),
      ...attempt,
    },
  })
}
