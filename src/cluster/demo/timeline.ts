import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../api/kinds/volume-snapshot.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { abandonOnAbort } from '../../base/abort.ts'
import type { Clock } from '../../base/clock.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { printableMessage } from '../../csi/index.ts'
import type { CallObserver } from '../../csi/index.ts'
import type { Informers } from '../../kube/index.ts'
import type { DemoView, Happening } from './happening.ts'
import { GONE, STATES } from './state-of.ts'

/** Everything that happens, in order: calls to the driver and changes of objects. */
export interface Timeline {
  /** Hands out what has happened and was not handed out before, and is about one of these; the rest is kept for later. */
  take(isWanted: (happening: Happening) => boolean): Happening[]
  view(): DemoView
  /** Resolves when it holds, asked again whenever something happens; rejects with the signal's reason. */
  until(holds: (view: DemoView, untold: readonly Happening[]) => boolean, signal: AbortSignal): Promise<void>
}

/** Calls are heard from the cluster's start, before there is a server to follow: hence in two parts. */
export function createTimeline(clock: Clock): {
  observeCsi: (by: string) => CallObserver
  follow(informers: Informers): Timeline
} {
  let untold: Happening[] = []
  const waiting = new Set<() => void>()
  const add = (happening: Happening): void => {
    untold.push(happening)
    for (const check of [...waiting]) check()
  }
  const observeCsi =
    (by: string): CallObserver =>
    ({ rpc, request, code, tookMs }) =>
      add({
        kind: 'call',
        atMs: clock.monotonicMs(),
        tookMs,
        by,
        rpc: rpc.name,
        request: printableMessage(rpc.requestName, request),
        code: code ?? 'no status',
      })

  const follow = (informers: Informers): Timeline => {
    const tell = <T extends KubeObject>(type: ResourceType<T>, stateOf: (object: T) => string) => {
      const informer = informers.get(type)
      informer.onChange(({ key, before, after }) => {
        const state = after ? stateOf(after) : GONE
        if (before && after && stateOf(before) === state) return
        const name = (after ?? before)?.metadata.name ?? key
        add({ kind: 'object', atMs: clock.monotonicMs(), object: `${type.kind} ${name}`, state })
      })
      return informer
    }
    tell(STORAGE_CLASSES, STATES.storageClass)
    const claims = tell(PERSISTENT_VOLUME_CLAIMS, STATES.claim)
    const volumes = tell(PERSISTENT_VOLUMES, STATES.volume)
    const pods = tell(PODS, STATES.pod)
    const attachments = tell(VOLUME_ATTACHMENTS, STATES.attachment)
    const snapshots = tell(VOLUME_SNAPSHOTS, STATES.snapshot)
    const contents = tell(VOLUME_SNAPSHOT_CONTENTS, STATES.snapshot)
    const drivers = tell(CSI_DRIVERS, STATES.driver)
    const registry = tell(ALPHA_CSI_DRIVERS, () => 'made, in the words of the registry')
    const view = (): DemoView => ({
      claims: [...claims.all()],
      volumes: [...volumes.all()],
      pods: [...pods.all()],
      attachments: [...attachments.all()],
      snapshots: [...snapshots.all()],
      contents: [...contents.all()],
      drivers: [...drivers.all()],
      registry: [...registry.all()],
    })
    const take = (isWanted: (happening: Happening) => boolean): Happening[] => {
      const taken = untold.filter(isWanted)
      untold = untold.filter((happening) => !isWanted(happening))
      return taken
    }
    const until = async (
      holds: (now: DemoView, happened: readonly Happening[]) => boolean,
      signal: AbortSignal,
    ): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>()
      // Not while the cache is being changed: all listeners have heard of it then.
      const check = (): void => queueMicrotask(() => void (holds(view(), untold) && resolve()))
      waiting.add(check)
      check()
      try {
        await abandonOnAbort(promise, signal)
      } finally {
        waiting.delete(check)
      }
    }
    return { take, view, until }
  }
  return { observeCsi, follow }
}
