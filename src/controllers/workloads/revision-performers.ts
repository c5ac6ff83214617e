import type { Api } from '../../api/api.ts'
import { isAlreadyExists } from '../../api/api-error.ts'
import { CONTROLLER_REVISIONS } from '../../api/kinds/controller-revision.ts'
import type { ControllerRevision } from '../../api/kinds/controller-revision.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { after, CACHE_BEHIND_MS, deleteAsSeen, mergeAsSeen, patchAsSeen } from '../../kube/controller/index.ts'
import type { StepOutcome } from '../../kube/controller/index.ts'
import { adopt } from './change-owner.ts'
import type { FollowedMembers } from './follow-members.ts'
import { hasSameData } from './revisions.ts'

type Owner = KubeObject & { readonly status?: { readonly collisionCount?: number } }
type PassOf<Set> = { readonly view: { readonly seen: { readonly set: Set } } }
type Revisions = { readonly revisions: readonly ControllerRevision[] }

/** The steps for the revisions of a StatefulSet or DaemonSet. */
export const revisionPerformers = <Set extends Owner>(
  api: Api,
  type: ResourceType<Set>,
  members: FollowedMembers<Set, ControllerRevision>,
) => ({
  'adopt-revisions': async ({ revisions }: Revisions, { view }: PassOf<Set>): Promise<StepOutcome> => {
    const owner = { type, object: view.seen.set }
    const isDone = await adopt(api, owner, { type: CONTROLLER_REVISIONS, objects: revisions })
    return isDone ? undefined : after(CACHE_BEHIND_MS)
  },
  'create-revision': async (
    { revision }: { readonly revision: ControllerRevision },
    { view: { seen } }: PassOf<Set>,
  ): Promise<StepOutcome> => {
    try {
      await members.create(seen.set, revision)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      const present = await api.get(CONTROLLER_REVISIONS, refOf(revision))
      if (isControlledBy(present, seen.set) && hasSameData(present, revision)) return after(CACHE_BEHIND_MS)
      // Another revision has the name: the count is part of the next one.
      const collisionCount = (seen.set.status?.collisionCount ?? 0) + 1
      const patch = mergeAsSeen(seen.set, { status: { collisionCount } })
      await patchAsSeen(api, type, seen.set, patch, { subresource: 'status' })
    }
    return undefined
  },
  'renumber-revision': ({ revision, number }: { readonly revision: ControllerRevision; readonly number: number }) =>
    api
      .patch(CONTROLLER_REVISIONS, refOf(revision), {
        type: 'merge',
        value: {
          metadata: { uid: revision.metadata.uid, resourceVersion: revision.metadata.resourceVersion },
          revision: number,
        },
      })
      .then(() => undefined),
  'delete-revisions': async ({ revisions }: Revisions): Promise<StepOutcome> => {
    for (const revision of revisions) await deleteAsSeen(api, CONTROLLER_REVISIONS, revision)
    // The cache shows them until the watch reports their deletion.
    return after(CACHE_BEHIND_MS)
  },
})
