import type { Pod } from '../../api/kinds/pod.ts'
import { formatReason } from '../../api/reason.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import { NodeServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { atStart, defineController, DONE, on } from '../../kube/controller/index.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { formatPublishedNothing } from '../../storage/driver-trouble.ts'
import { readCredentials } from '../credentials/index.ts'
import { changeOwnership } from '../fs-group/index.ts'
import { attempt, doThroughDriver, PREPARES, undoThroughDriver } from './driver-calls.ts'
import type { Attempt } from './driver-calls.ts'
import { findUnpublished } from './mount-points.ts'
import { readMountView } from './mount-view.ts'
import type { MountPass, MountPassView, MountStep } from './mount-view.ts'
import { nextMountStep } from './next-mount-step.ts'
import { needsVolumes } from './pod-view.ts'
import { callEnded } from './reasons.ts'
import { uidsOf } from './volume-context.ts'
import type { VolumeContext } from './volume-context.ts'
import type { VolumeData } from './volume-files.ts'
import { publishRequest } from './volume-requests.ts'
import { BACKOFF, isPresent, retryNow } from './volume-table.ts'
import type { DriverVolume, Mount, TableChange } from './volume-table.ts'
import { claimUidOf, claimUidOfPodVolume } from '../../storage/life-of.ts'

/** Publishes a volume for a pod, repeatedly if the driver requires that, and unpublishes it. */
export function defineMountController(context: VolumeContext) {
  const { table, drivers, findPod, call } = context
  const keysOf = (mounts: Iterable<Mount>): string[] => Array.from(mounts, ({ key }) => key)
  const concerned = ({ podUid, mount, device }: TableChange): string[] => {
    if (podUid !== undefined) return keysOf(table.mountsOfPod(podUid))
    // Others may be waiting until no other pod has the volume, or until it is staged.
    return keysOf(table.mountsOf(device?.uniqueName ?? mount?.uniqueName ?? '')).filter((key) => key !== mount?.key)
  }
  const act = (pass: MountPass, how: Omit<Attempt, 'about'>, run: () => Promise<unknown>): Promise<void> => {
    const { mount, seen } = pass.view
    const about = () => [seen.pod ?? context.findNode()]
    return working(context, mount, () => attempt(context, mount, pass, { about, ...how }, run))
  }

  return defineController<MountPassView, MountStep>({
    name: 'node-mounts',
    // A hanging driver occupies a worker for two minutes: there are more workers than volumes on an ordinary node.
    queue: context.createQueue({ name: 'node-mounts', lanes: { mount: 64, unmount: 64 }, backoff: BACKOFF }),
    watch: [
      atStart(...table.mounts.keys()),
      on(context.pods, (change) => uidsOf(change).flatMap((uid) => keysOf(table.mountsOfPod(uid)))),
      on(table, concerned),
      on(context.driverChanges, (name) => keysOf(retryNow(table.mounts.values(), ({ driver }) => driver === name))),
    ],
    lane: (key) => {
      const pod = findPod(table.mounts.get(key)?.podUid ?? '')
      return pod && needsVolumes(pod) ? 'mount' : 'unmount'
    },
    stepLimit: 10,
    view: (key) => readMountView(context, key),
    decide: nextMountStep,
    lifeOf: ({ mount: { wish, volumeName } }) => [
      wish?.kind === 'csi' ? claimUidOfPodVolume(wish.volume) : claimUidOf(undefined, volumeName),
    ],
    perform: {
      refuse: ({ reason }, { view, say }) => {
        const text = `MountVolume.SetUp failed for volume "${view.mount.volumeName}" : ${formatReason(reason)}`
        if (view.seen.pod) say(view.seen.pod, { type: 'Warning', event: 'FailedMount' }, text)
        return DONE
      },
      probe: (_step, pass) =>
        act(pass, { operation: 'publish', ...PREPARES }, () => drivers.probe(pass.view.mount.driver, call)),
      publish: async ({ isRepeat }, pass) => {
        const { pod, wish } = pass.view.seen
        if (!pod || !wish) return DONE
        return act(pass, { operation: 'publish', isQuiet: isRepeat }, () =>
          publishVolume(context, pass, { pod, wish, isRepeat }),
        )
      },
      unpublish: (_step, pass) => act(pass, { operation: 'unpublish' }, () => unpublishVolume(context, pass)),
      forget: (_step, { view }) => table.removeMount(view.mount),
    },
  })
}

/** Keeps the volume from being expanded meanwhile, and passes on what has changed. */
async function working({ table, report }: VolumeContext, mount: Mount, act: () => Promise<void>): Promise<void> {
  const before = { state: mount.state, isPresent: isPresent(mount) }
  mount.isWorking = true
  try {
    await act()
  } finally {
    mount.isWorking = false
    report(callEnded(mount.uniqueName))
    if (mount.state !== before.state || isPresent(mount) !== before.isPresent) table.tell({ mount })
  }
}

type Publishing = { readonly pod: Pod; readonly wish: DriverVolume; readonly isRepeat: boolean }

/** Publishes a volume for a pod. `isRepeat`: it is published, and the driver requires another call. */
async function publishVolume(context: VolumeContext, pass: MountPass, publishing: Publishing): Promise<void> {
  const { mount } = pass.view
  const { pod, wish, isRepeat } = publishing
  const { clock, files, table, drivers, nodeName, call, config } = context
  const { driver: driverName, volumeHandle, isBlock } = mount
  const driver = drivers.get(driverName)
  const policy = context.policyOf(driverName)
  const capabilities = drivers.capabilities(driverName) ?? (await drivers.probe(driverName, call))
  const podVolume = pod.spec.volumes?.find(({ name }) => name === mount.podVolumeName)
  if (!podVolume) throw new Error(`the pod has no volume ${mount.podVolumeName}`)
  const request = publishRequest({ pod, podVolume, wish, policy, capabilities, seLinuxLabel: mount.seLinuxLabel })
  const { secrets, attributes, tokensDueAtMs } = await readCredentials(context, { ...publishing, policy, isBlock })
  const device = table.deviceOf(mount)
  const isStaged = device && (isBlock || capabilities.has(Capability.STAGE_UNSTAGE_VOLUME))
  const path = files.targetOf(mount)
  const publish = async (): Promise<void> => {
    await driver.nodePublishVolume(
      {
        volumeId: volumeHandle,
        publishContext: { ...device?.publishContext },
        stagingTargetPath: isStaged ? files.stagingOf(device) : '',
        targetPath: path,
        ...request,
        volumeContext: { ...request.volumeContext, ...attributes },
        secrets,
      },
      call,
    )
    if (!isRepeat && !config.allowUnmounted) await requirePublished(context, mount, path)
  }
  // A repeated call needs no second file: it may come ten times a second.
  if (isRepeat) await publish()
  else {
    await doThroughDriver(mount, {
      rpc: 'NodePublishVolume',
      write: () => files.writeMount(mount, dataOf(mount, nodeName)),
      call: publish,
      clean: () => files.cleanMount(mount),
    })
    if (!(await changeOwnership(context, pass, { pod, wish, capabilities, isReadOnly: request.readonly }))) return
  }
  mount.state = 'mounted'
  mount.publishedAtMs = clock.monotonicMs()
  mount.jitter = context.random.fraction()
  mount.tokensDueAtMs = tokensDueAtMs
}

/** Throws if the driver has published nothing: the pod must not run without its volume. */
async function requirePublished({ files }: VolumeContext, mount: Mount, path: string): Promise<void> {
  const problem = findUnpublished(await files.readTarget(path), mount)
  if (problem !== undefined) throw new Error(formatPublishedNothing(path, problem))
}

const dataOf = (
  { volumeName, driver, volumeHandle, isEphemeral, seLinuxLabel }: Mount,
  nodeName: string,
): VolumeData => ({
  specVolID: volumeName,
  volumeHandle,
  driverName: driver,
  nodeName,
  attachmentID: isEphemeral ? '' : attachmentName({ driver, volumeHandle, nodeName }),
  volumeLifecycleMode: isEphemeral ? 'Ephemeral' : 'Persistent',
  ...(seLinuxLabel ? { seLinuxMountContext: seLinuxLabel } : {}),
})

/** Needs the local disk and the driver, nothing else: pod, volume and secrets may be gone. */
async function unpublishVolume(context: VolumeContext, pass: MountPass): Promise<void> {
  const { files, drivers, call } = context
  const { mount } = pass.view
  const driver = drivers.get(mount.driver)
  mount.state = 'uncertain'
  const path = files.targetOf(mount)
  await undoThroughDriver(context, mount, pass, {
    path,
    call: () =>
      driver.nodeUnpublishVolume({ volumeId: mount.volumeHandle, targetPath: path }, call).catch(async (error) => {
        // A volume that exists only for its pod, and is not found, is mounted nowhere.
        if (!mount.isEphemeral || !isCsiError(error, 'NOT_FOUND') || (await files.isMounted(path))) throw error
      }),
    clean: () => files.cleanMount(mount),
  })
}
