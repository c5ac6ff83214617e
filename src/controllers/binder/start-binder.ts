import { ignoreNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume, PersistentVolumePhase } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { createMergePatch } from '../../api/merge-patch.ts'
import { keyOf, refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { createRecentMap } from '../../kube/cache/recent-map.ts'
import {
  after,
  CACHE_BEHIND_MS,
  defineController,
  keyIfPresent,
  mergeAsSeen,
  on,
  startControllers,
} from '../../kube/controller/index.ts'
import type { ControllerDefinition, ControllerRole, Notice, Pass } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { claimKeyOf, claimKeysOf, claimReferenceTo } from '../../storage/claim-reference.ts'
import {
  BETA_STORAGE_PROVISIONER,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  findClassName,
  STORAGE_PROVISIONER,
} from '../../storage/names.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import type { BinderConfig } from './binder-options.ts'
import { createBinderState } from './binder-state.ts'
import type { BinderState } from './binder-state.ts'
import { isChoosing, readClaimView } from './claim-view.ts'
import type { ClaimView } from './claim-view.ts'
import { nextClaimStep } from './next-claim-step.ts'
import type { ClaimStep } from './next-claim-step.ts'
import { nextVolumeStep } from './next-volume-step.ts'
import type { VolumeStep, VolumeView } from './next-volume-step.ts'
import { claimUidOf } from '../../storage/life-of.ts'

/** Binds claims and volumes to each other, and reports those that cannot be bound. */
export const startBinder: StartRole<BinderConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => {
    const state = createBinderState(config, role)
    return [defineClaimBinder(config, role, state), defineVolumeBinder(role, state)]
  })

// Not a class name, because it has a space.
const NO_CLASS = 'no class'

/** The volume of that name on the API server; undefined if it has none. */
type Reads = { readonly confirmed: { readonly volumeName: string; readonly volume: PersistentVolume | undefined } }
type ClaimController = ControllerDefinition<ClaimView, ClaimStep, undefined, Reads>

const volumeNameOf = ({ spec }: PersistentVolumeClaim): string[] => [spec.volumeName ?? '']

// A claim without a class gets the default class, which may be any.
const chosenClassOf = (claim: PersistentVolumeClaim): string[] =>
  isChoosing(claim) ? [findClassName(claim) ?? NO_CLASS] : []

/** Binds claims to matching volumes, and marks claims that need a new volume for their provisioner. */
function defineClaimBinder(
  { podPatienceMs }: BinderConfig,
  { api, clock, follow }: ControllerRole,
  { claims, volumes, classes, claimQueue, stock, offers }: BinderState,
) {
  const pods = follow(PODS)
  const podsOf = pods.indexBy(podClaimKeysOf)
  const claimsWith = claims.indexBy(volumeNameOf)
  const choosersOf = claims.indexBy(chosenClassOf)
  return defineController<ClaimView, ClaimStep, undefined, Reads>({
    name: 'binder',
    queue: claimQueue,
    watch: [
      on(claims, ({ key }) => key),
      on(volumes, ({ key, before, after }) => [...claimKeysOf(before, after), ...claimsWith(key).map(keyOf)]),
      on(classes, ({ key }) => [...choosersOf(key), ...choosersOf(NO_CLASS)].map(keyOf)),
      on(pods, ({ before, after }) => {
        if (!after || before || after.spec.nodeName) return undefined
        return podClaimKeysOf(after).filter((key) => {
          const claim = claims.get(key)
          return claim && isChoosing(claim)
        })
      }),
    ],
    view: (key, { reads: { confirmed }, isHeldByOther }) => {
      const isConfirmed = confirmed !== undefined && confirmed.volumeName === claims.get(key)?.spec.volumeName
      const isTaken = (volume: PersistentVolume): boolean => isHeldByOther(keyOf(volume))
      const volumeSource = isConfirmed ? { get: () => confirmed.volume } : volumes
      const view = readClaimView({ claims, volumes: volumeSource, classes, stock, podsOf, isTaken }, key)
      return view && { ...view, held: { nowMs: clock.nowMs(), podPatienceMs, isVolumeConfirmed: isConfirmed } }
    },
    decide: nextClaimStep,
    lifeOf: ({ seen }) => [seen.claim.metadata.uid],
    // The claim has been processed: a volume that it did not take is offered to the next claim.
    forget: offers.settle,
    resource: (_view, _key, step) => ('volume' in step ? keyOf(step.volume) : undefined),
    perform: createPerformers(api, offers),
  })
}

function createPerformers(api: Api, offers: BinderState['offers']): ClaimController['perform'] {
  const write = createBindingWriter(api)
  const report = ({ view, say }: Pass<ClaimView>, { notice, reason }: { notice?: Notice; reason: Reason }) =>
    notice && say(view.seen.claim, notice, formatReason(reason))

  return {
    wait: (step, pass) => {
      report(pass, step)
      offers.settle(pass.key)
    },
    'look-at-volume': async ({ volumeName }, pass) => {
      const volume = await api.get(PERSISTENT_VOLUMES, { name: volumeName }).catch(ignoreNotFound)
      pass.reads = { confirmed: { volumeName, volume } }
    },
    'reserve-volume': ({ volume, isChoice }, { view }) =>
      write.patchVolume(volume, {
        metadata: { annotations: chosenByUs(isChoice) },
        spec: { claimRef: claimReferenceTo(view.seen.claim) },
      }),
    'mark-volume-bound': (step) => write.setVolumePhase(step.volume, 'Bound'),
    'complete-claim': ({ volume, isChoice }, { view }) =>
      write.patchClaim(view.seen.claim, {
        metadata: { annotations: { ...chosenByUs(isChoice), [BIND_COMPLETED]: 'yes' } },
        spec: { volumeName: volume.metadata.name },
      }),
    'mark-claim-bound': async (step, { view, log }) => {
      await write.setClaimStatus(view.seen.claim, step.status)
      log.info('claim bound', { volume: step.volume.metadata.name })
    },
    'mark-pending': (_step, { view }) => write.setClaimStatus(view.seen.claim, statusWithoutVolume(view, 'Pending')),
    'mark-lost': async (step, pass) => {
      await write.setClaimStatus(pass.view.seen.claim, statusWithoutVolume(pass.view, 'Lost'))
      report(pass, step)
      pass.log.warn('claim lost', { reason: step.reason })
    },
    'set-class': async ({ className }, { view, log }) => {
      await write.patchClaim(view.seen.claim, { spec: { storageClassName: className } })
      log.info('default storage class assigned to claim', { storageClass: className })
    },
    'mark-for-provisioner': async (step, pass) => {
      const { provisioner } = step
      const annotations = { [STORAGE_PROVISIONER]: provisioner, [BETA_STORAGE_PROVISIONER]: provisioner }
      await write.patchClaim(pass.view.seen.claim, { metadata: { annotations } })
      report(pass, step)
    },
  }
}

const chosenByUs = (isChoice: boolean) => (isChoice ? { [BOUND_BY_CONTROLLER]: 'yes' } : {})

function statusWithoutVolume({ seen: { claim } }: ClaimView, phase: 'Pending' | 'Lost'): PersistentVolumeClaimStatus {
  const { accessModes: _modes, capacity: _capacity, ...rest } = claim.status ?? {}
  return { ...rest, phase }
}

type Change = Parameters<typeof mergeAsSeen>[1]

/** The writes of the binder. Each is rejected with Conflict if its object has changed since the decision. */
function createBindingWriter(api: Api) {
  const patch = async <T extends KubeObject>(type: ResourceType<T>, object: T, change: Change): Promise<void> => {
    const options = change.status ? { subresource: 'status' } : {}
    await api.patch(type, refOf(object), mergeAsSeen(object, change), options)
  }
  const patchClaim = (claim: PersistentVolumeClaim, change: Change) => patch(PERSISTENT_VOLUME_CLAIMS, claim, change)
  const patchVolume = (volume: PersistentVolume, change: Change) => patch(PERSISTENT_VOLUMES, volume, change)
  return {
    patchClaim,
    patchVolume,
    setClaimStatus: (claim: PersistentVolumeClaim, status: PersistentVolumeClaimStatus) =>
      patchClaim(claim, { status: createMergePatch(claim.status ?? {}, status) }),
    setVolumePhase: (volume: PersistentVolume, phase: PersistentVolumePhase, message = '') =>
      patchVolume(volume, {
        status: { phase, ...(message === (volume.status?.message ?? '') ? {} : { message: message || null }) },
      }),
  }
}

// How many deleted claims are remembered until their volumes have been processed.
const MOST_GONE = 10_000

/** Sets the phase of volumes from their claims. It writes only while no claim is being bound to the volume. */
function defineVolumeBinder({ api }: ControllerRole, { claims, volumes, volumeQueue }: BinderState) {
  const write = createBindingWriter(api)
  const volumesFor = volumes.indexBy(claimKeysOf)
  // Claims whose deletion was seen: the API server need not be asked about them.
  const goneClaims = createRecentMap<true>(MOST_GONE)
  claims.onChange(({ before, after: now }) => {
    if (before && before.metadata.uid !== now?.metadata.uid) goneClaims.set(before.metadata.uid ?? '', true)
  })
  return defineController<VolumeView, VolumeStep, undefined, { isClaimGone: true }>({
    name: 'binder-volumes',
    queue: volumeQueue,
    watch: [
      on(volumes, keyIfPresent),
      on(claims, ({ key, before, after: now }) => {
        if (before?.metadata.uid === now?.metadata.uid && before?.spec.volumeName === now?.spec.volumeName)
          return undefined
        return [
          ...volumesFor(key).map(keyOf),
          ...[before?.spec.volumeName, now?.spec.volumeName].flatMap((name) => name || []),
        ]
      }),
    ],
    view: (name, { reads }) => {
      const volume = volumes.get(name)
      if (!volume) return undefined
      const claim = claims.get(claimKeyOf(volume) ?? '')
      return {
        seen: { volume, claim },
        held: { isClaimConfirmed: reads.isClaimGone ?? goneClaims.get(volume.spec.claimRef?.uid ?? '') ?? false },
      }
    },
    decide: nextVolumeStep,
    lifeOf: ({ seen }) => [claimUidOf(seen.volume)],
    resource: (_view, key, { kind }) => (kind === 'look-at-claim' ? undefined : key),
    perform: {
      wait: ({ notice, reason, tellClaim }, { view, say }) => {
        if (notice)
          for (const about of [view.seen.volume, ...(tellClaim ? [tellClaim] : [])])
            say(about, notice, formatReason(reason))
      },
      'look-at-claim': async (_step, pass) => {
        const { namespace = '', name = '', uid } = pass.view.seen.volume.spec.claimRef ?? {}
        const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name }).catch(ignoreNotFound)
        if (claim && claim.metadata.uid === uid) return after(CACHE_BEHIND_MS)
        pass.reads = { isClaimGone: true }
        return undefined
      },
      'set-phase': async ({ phase, reason, notice }, pass) => {
        const { volume } = pass.view.seen
        await write.setVolumePhase(volume, phase, phase === 'Failed' ? formatReason(reason) : '')
        if (notice) pass.say(volume, notice, formatReason(reason))
        pass.log.info('volume phase', { phase })
      },
      unbind: ({ keeps }, pass) => {
        const change =
          keeps === 'nothing'
            ? { metadata: { annotations: { [BOUND_BY_CONTROLLER]: null } }, spec: { claimRef: null } }
            : { spec: { claimRef: { uid: null, resourceVersion: null } } }
        return write.patchVolume(pass.view.seen.volume, change)
      },
    },
  })
}
