import { readdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { EVENTS } from '../../../src/api/kinds/event.ts'
import type { Lease } from '../../../src/api/kinds/lease.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../src/api/kinds/persistent-volume-claim.ts'
import type { Pod } from '../../../src/api/kinds/pod.ts'
import { POD_LIMIT } from './release.ts'
import type { ClusterStage } from './open-cluster-stage.ts'
import { named, NAMESPACE } from './story-objects.ts'

/** Registers a story as a test. With a reason, it is left out. */
export type Tell = (title: string, story: (stage: ClusterStage) => Promise<void>, skip?: string) => void

export const claimRef = (name: string) => [PERSISTENT_VOLUME_CLAIMS, named(name)] as const

/** IDs of the volumes that the driver has. */
export const volumesAtBackend = ({ backend }: ClusterStage): string[] => readdirSync(join(backend, 'volumes'))

/** Until this holds for the IDs of the volumes. A driver may remove one after its last pod is gone. */
export function untilVolumes(stage: ClusterStage, holds: (ids: readonly string[]) => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const check = (): void => (holds(volumesAtBackend(stage)) ? resolve() : undefined)
  const watcher = watch(join(stage.backend, 'volumes'), check)
  const tooLate = (): void => reject(new Error(`the driver has ${volumesAtBackend(stage).join(', ')}`))
  const timer = setTimeout(tooLate, POD_LIMIT.limitMs)
  check()
  return promise.finally(() => {
    clearTimeout(timer)
    watcher.close()
  })
}

export const runningContainers = ({ status }: Pod): string[] =>
  (status?.containerStatuses ?? [])
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name }) => name)
    .sort()

/** Who holds each lease. The journal of the provisioner is a lease that nobody leads with. */
export const holdersOf = (leases: readonly Lease[]): Record<string, string> =>
  Object.fromEntries(
    leases.flatMap(({ metadata: { name = '' }, spec }) =>
      spec?.holderIdentity && !name.startsWith('holdfast-journal-') ? [[name, spec.holderIdentity]] : [],
    ),
  )

/** Until the object has an event with this reason and text. */
export async function untilEvent({ api }: ClusterStage, object: string, reason: string, text: RegExp): Promise<void> {
  const selection = { namespace: NAMESPACE, fieldSelector: `involvedObject.name=${object},reason=${reason}` }
  const signal = AbortSignal.timeout(POD_LIMIT.limitMs)
  for await (const event of api.watch(EVENTS, { ...selection, signal })) {
    if (event.type !== 'BOOKMARK' && text.test(event.object.message ?? '')) return
  }
}
