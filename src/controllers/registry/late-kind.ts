import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { ControllerRole, FollowedKind } from '../../kube/controller/index.ts'

const BY_DRIVER = 'registry/driver'

/** A kind that is watched once the server has it. A change wakes the drivers that its objects name. */
export function createLateKind<T extends KubeObject>(
  role: ControllerRole,
  type: ResourceType<T>,
  driversOf: (object: T) => string[],
  enqueue: (driver: string) => void,
) {
  let kind: FollowedKind<T> | undefined
  role.onIdle(() => kind?.isSynced() ?? true)
  return {
    isSynced: () => kind?.isSynced() ?? false,
    ofDriver: (driver: string): readonly T[] =>
      kind?.byIndex(BY_DRIVER, driver).map((object) => kind?.get(keyOf(object)) ?? object) ?? [],
    /** The server has the kind. */
    begin: (onSynced = (): void => {}): void => {
      if (kind) return
      kind = role.follow(type, { indexes: { [BY_DRIVER]: driversOf } })
      kind.synced(role.signal).then(onSynced, () => {})
      kind.onChange(({ before, after }) => {
        for (const object of [before, after]) if (object) driversOf(object).forEach(enqueue)
      })
    },
  }
}
