import { isApiError, isNotFound } from '../../api/api-error.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { KubeObject } from '../../api/object.ts'
import type { EventRecorder } from '../../kube/controller/event-recorder.ts'
import type { FollowedMembers } from './follow-members.ts'
import { slowStart } from './slow-start.ts'

/** Creates and deletes pods whose names do not matter, with upstream's events. Both throw the first error. */
export function podWrites<Owner extends KubeObject>(events: EventRecorder, members: FollowedMembers<Owner, Pod>) {
  const createOne = async (owner: Owner, pod: Pod): Promise<void> => {
    try {
      const { metadata } = await members.create(owner, pod)
      events.record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${metadata.name}`)
    } catch (error) {
      if (!isOfLeavingNamespace(error))
        events.record(owner, 'Warning', 'FailedCreate', `Error creating: ${textOf(error)}`)
      throw error
    }
  }
  const deleteOne = async (owner: Owner, pod: Pod): Promise<void> => {
    try {
      await members.delete(pod)
      events.record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`)
    } catch (error) {
      if (isNotFound(error)) return
      events.record(owner, 'Warning', 'FailedDelete', `Error deleting: ${textOf(error)}`)
      throw error
    }
  }
  return {
    create: (owner: Owner, pods: readonly Pod[]): Promise<void> => slowStart(pods, (pod) => createOne(owner, pod)),
    delete: async (owner: Owner, pods: readonly Pod[]): Promise<void> => {
      const results = await Promise.allSettled(pods.map((pod) => deleteOne(owner, pod)))
      for (const result of results) if (result.status === 'rejected') throw result.reason
    },
  }
}

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

// Nothing can be created in the namespace any more: the objects are going to be deleted.
const isOfLeavingNamespace = (error: unknown): boolean =>
  isApiError(error, 'Forbidden') && error.message.includes('because it is being terminated')
