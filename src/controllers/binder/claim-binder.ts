import { ignoreNotFound } from '../../api/api-error.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import { keyOf } from '../../api/object-key.ts'
import { formatReason } from '../../api/reason.ts'
import { after, defineController, DONE, on } from '../../kube/controller/index.ts'
import type { ControllerRole, Known, Pass, StepOutcome } from '../../kube/controller/index.ts'
import { findDefaultClass } from '../../storage/default-class.ts'
import { findBestVolume } from '../../storage/find-best-volume.ts'
import { classNameOf, findClassName, isDelayedBinding, selectedNodeOf } from '../../storage/names.ts'
import { isFinishedPod, podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { BinderConfig } from './binder-options.ts'
import { BY_CLAIM, BY_CLASS, BY_VOLUME, claimKeysOf, isChoosing, NO_CLASS } from './binder-state.ts'
import type { BinderState } from './binder-state.ts'
import type { ClaimStep, ClaimView } from './binder-view.ts'
import type { BindingWriter } from './binding-writer.ts'
import { nextClaimStep } from './next-claim-step.ts'

// The server has a volume that the cache does not show, and may never show if it goes before.
const CACHE_BEHIND_MS = 1000

/** The volume as the server has it; undefined when it has none. */
type Reads = { readonly confirmed: { readonly volume?: PersistentVolume } }
type ClaimPass = Pass<ClaimView, undefined, Reads>

/** Binds claims to volumes that fit, and marks those that need a new volume for their provisioner. */
export function defineClaimBinder(
  config: BinderConfig,
  { api, clock }: ControllerRole,
  state: BinderState,
  write: BindingWriter,
) {
  const { claims, volumes, classes, pods, claimQueue, stock, offers } = state

  const seeChoosing = (
    key: string,
    claim: ClaimView['seen']['claim'],
    known: Known<undefined, Reads>,
  ): ClaimView['seen'] => {
    const storageClass = classes.get(classNameOf(claim))
    const isDelayed = isDelayedBinding(storageClass)
    const match = findBestVolume(claim, stock, {
      reservedOnly: isDelayed,
      isTaken: (found) => known.isHeldByOther(keyOf(found)),
    })
    const defaultClass = findClassName(claim) === undefined ? findDefaultClass(classes.all()) : undefined
    const waitingPods =
      isDelayed && selectedNodeOf(claim) === ''
        ? pods.byIndex(BY_CLAIM, key).filter((pod) => !pod.spec.nodeName && !isFinishedPod(pod))
        : []
    return {
      claim,
      waitingPods,
      ...(match ? { match } : {}),
      ...(storageClass ? { storageClass } : {}),
      ...(defaultClass ? { defaultClass } : {}),
    }
  }
  const see = (key: string, known: Known<undefined, Reads>): ClaimView['seen'] | undefined => {
    const claim = claims.get(key)
    if (!claim) return undefined
    if (isChoosing(claim)) return seeChoosing(key, claim, known)
    const volume = known.reads.confirmed ? known.reads.confirmed.volume : volumes.get(claim.spec.volumeName ?? '')
    return { claim, ...(volume ? { volume } : {}) }
  }
  /** Takes the step while no other pass writes about the volume. */
  const holding =
    <Step extends { readonly volume: PersistentVolume }>(act: (step: Step, pass: ClaimPass) => Promise<void>) =>
    async (step: Step, pass: ClaimPass): Promise<StepOutcome> => {
      if (!pass.hold(keyOf(step.volume))) return DONE
      return act(step, pass)
    }
  const tell = (
    { view, say }: Pick<ClaimPass, 'view' | 'say'>,
    { notice, reason }: Pick<Extract<ClaimStep, { kind: 'mark-lost' }>, 'notice' | 'reason'>,
  ): void => say(view.seen.claim, notice, formatReason(reason))

  return defineController<ClaimView, ClaimStep, undefined, Reads>({
    name: 'binder',
    queue: claimQueue,
    watch: [
      on(claims, ({ key }) => key),
      on(volumes, ({ key, before, after: now }) => [
        ...(before ? claimKeysOf(before) : []),
        ...(now ? claimKeysOf(now) : []),
        ...claims.byIndex(BY_VOLUME, key).map(keyOf),
      ]),
      on(classes, ({ key }) =>
        [`class ${key}`, NO_CLASS].flatMap((value) => claims.byIndex(BY_CLASS, value).map(keyOf)),
      ),
      on(pods, ({ before, after: now }) => {
        if (!now || before || now.spec.nodeName) return undefined
        return podClaimKeysOf(now).filter((key) => {
          const claim = claims.get(key)
          return claim && isChoosing(claim)
        })
      }),
    ],
    view: (key, known) => {
      const seen = see(key, known)
      return (
        seen && {
          seen,
          held: {
            nowMs: clock.nowMs(),
            podPatienceMs: config.podPatienceMs,
            isVolumeConfirmed: known.reads.confirmed !== undefined,
          },
        }
      )
    },
    decide: nextClaimStep,
    // The claim has had its turn: what it leaves is offered to the next.
    forget: offers.settle,
    perform: {
      wait: (step, pass) => {
        if (step.notice) tell(pass, { notice: step.notice, reason: step.reason })
        offers.settle(pass.key)
      },
      'look-at-volume': async ({ name }, pass) => {
        const volume = await api.get(PERSISTENT_VOLUMES, { name }).catch(ignoreNotFound)
        pass.reads = { confirmed: volume ? { volume } : {} }
        const confirmed = see(pass.key, pass)
        // Where that is not the claim's end, the cache has to catch up first.
        if (
          confirmed &&
          nextClaimStep({ seen: confirmed, held: { nowMs: 0, podPatienceMs: 0, isVolumeConfirmed: true } }).kind ===
            'mark-lost'
        )
          return undefined
        offers.settle(pass.key)
        return after(CACHE_BEHIND_MS)
      },
      'reserve-volume': holding((step, { view }) => write.reserveVolume(step.volume, view.seen.claim, step.isChoice)),
      'mark-volume-bound': holding((step) => write.setVolumePhase(step.volume, 'Bound', '')),
      'complete-claim': holding((step, { view }) => write.completeClaim(view.seen.claim, step.volume, step.isChoice)),
      'mark-claim-bound': holding(async (step, { view, log }) => {
        await write.setClaimStatus(view.seen.claim, step.status)
        log.info('claim bound', { volume: step.volume.metadata.name })
      }),
      'mark-pending': (_step, { view }) => write.setClaimStatus(view.seen.claim, statusWithoutVolume(view, 'Pending')),
      'mark-lost': async (step, pass) => {
        await write.setClaimStatus(pass.view.seen.claim, statusWithoutVolume(pass.view, 'Lost'))
        tell(pass, step)
        pass.log.warn('claim lost', { reason: step.reason })
      },
      'set-class': async ({ className }, { view, log }) => {
        await write.setClass(view.seen.claim, className)
        log.info('default storage class assigned to claim', { storageClass: className })
      },
      'mark-for-provisioner': async (step, pass) => {
        await write.markForProvisioner(pass.view.seen.claim, step.provisioner)
        tell(pass, step)
      },
    },
  })
}

function statusWithoutVolume({ seen: { claim } }: ClaimView, phase: 'Pending' | 'Lost'): PersistentVolumeClaimStatus {
  const { accessModes: _modes, capacity: _capacity, ...rest } = claim.status ?? {}
  return { ...rest, phase }
}
