import type { Api } from '../../api/api.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { after, CACHE_BEHIND_MS } from '../../kube/controller/index.ts'
import type { StepOutcome } from '../../kube/controller/index.ts'
import { adopt, release } from './change-owner.ts'

type PassOf<Set> = { readonly view: { readonly seen: { readonly set: Set } } }
type Pods = { readonly pods: readonly Pod[] }

/** The steps with which a workload becomes, or stops being, the controller of pods. */
export const ownershipPerformers = <Set extends KubeObject>(
  api: Api,
  type: ResourceType,
  options: { readonly finalizer?: string } = {},
) => ({
  'adopt-pods': async ({ pods }: Pods, { view }: PassOf<Set>): Promise<StepOutcome> => {
    const isDone = await adopt(api, { type, object: view.seen.set }, { type: PODS, objects: pods, ...options })
    return isDone ? undefined : after(CACHE_BEHIND_MS)
  },
  'release-pods': ({ pods }: Pods, { view }: PassOf<Set>): Promise<void> =>
    release(api, view.seen.set, { type: PODS, objects: pods }),
})
