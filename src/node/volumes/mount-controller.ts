import { formatReason } from '../../api/reason.ts'
import { atStart, defineController, DONE, on } from '../../kube/controller/index.ts'
import { attempt, PREPARES } from './driver-calls.ts'
import type { Attempt } from './driver-calls.ts'
import { BACKOFF, retryNow } from './failures.ts'
import { readMountView } from './mount-view.ts'
import type { MountPass, MountPassView, MountStep } from './mount-view.ts'
import { nextMountStep } from './next-mount-step.ts'
import { needsVolumes } from './pod-view.ts'
import { publishVolume, unpublishVolume } from './publish-volume.ts'
import { callEnded } from './reasons.ts'
import { uidsOf } from './volume-context.ts'
import type { VolumeContext } from './volume-context.ts'
import { isPresent } from './volume-table.ts'
import type { Mount, TableChange } from './volume-table.ts'

/** Publishes a volume for a pod, again and again where the driver wants that, and unpublishes it. */
export function defineMountController(context: VolumeContext) {
  const { table, drivers, findPod, call } = context
  const keysOf = (mounts: Iterable<Mount>): string[] => Array.from(mounts, ({ key }) => key)
  const concerned = ({ podUid, mount, device }: TableChange): string[] => {
    if (podUid !== undefined) return keysOf(table.mountsOfPod(podUid))
    // Others may be waiting until no other pod has the volume, or until it is staged.
    return keysOf(table.mountsOf(device?.uniqueName ?? mount?.uniqueName ?? '')).filter((key) => key !== mount?.key)
  }
  const act = (
    operation: Attempt['operation'],
    pass: MountPass,
    run: () => Promise<void>,
    how: Partial<Attempt> = {},
  ): Promise<void> => {
    const { mount, seen } = pass.view
    const about = () => [seen.pod ?? context.findNode()]
    return working(context, mount, () => attempt(context, mount, pass, { operation, about, ...how }, run))
  }

  return defineController<MountPassView, MountStep>({
    name: 'node-mounts',
    // A driver that hangs holds a worker for two minutes: there are more workers than volumes on an ordinary node.
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
    perform: {
      refuse: ({ reason }, { view, say }) => {
        const text = `MountVolume.SetUp failed for volume "${view.mount.volumeName}" : ${formatReason(reason)}`
        if (view.seen.pod) say(view.seen.pod, { type: 'Warning', event: 'FailedMount' }, text)
        return DONE
      },
      probe: (_step, pass) =>
        act('publish', pass, async () => void (await drivers.probe(pass.view.mount.driver, call)), PREPARES),
      publish: async ({ isRepeat }, pass) => {
        const { pod, wish } = pass.view.seen
        if (!pod || !wish) return DONE
        return act('publish', pass, () => publishVolume(context, pass.view.mount, { pod, wish, isRepeat }), {
          isQuiet: isRepeat,
        })
      },
      unpublish: (_step, pass) => act('unpublish', pass, () => unpublishVolume(context, pass)),
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
