import type { ObjectKey } from '../../api/object-key.ts'
import type { PodWish } from './attachment-view.ts'

/** What all pods want, found by attachment, by volume and by node. */
export interface WishTable {
  /** Takes the place of what the pod wanted before. Gives the names of the attachments about which that says something new. */
  set(pod: ObjectKey, wishes: readonly PodWish[]): string[]
  byName(name: string): readonly PodWish[]
  /** By the unique name of the volume. */
  byVolume(volumeName: string): readonly PodWish[]
  byNode(nodeName: string): readonly string[]
  names(): IterableIterator<string>
}

export function createWishTable(): WishTable {
  const ofPod = new Map<ObjectKey, readonly PodWish[]>()
  const byName = createGroups()
  const byVolume = createGroups()
  const byNode = createGroups()

  const remove = (pod: ObjectKey, wish: PodWish): void => {
    byName.remove(wish.name, pod)
    byVolume.remove(wish.volume.uniqueName, `${pod} ${wish.name}`)
    byNode.remove(wish.nodeName, `${pod} ${wish.name}`)
  }
  const add = (pod: ObjectKey, wish: PodWish): void => {
    byName.add(wish.name, pod, wish)
    byVolume.add(wish.volume.uniqueName, `${pod} ${wish.name}`, wish)
    byNode.add(wish.nodeName, `${pod} ${wish.name}`, wish)
  }
  const set = (pod: ObjectKey, wishes: readonly PodWish[]): string[] => {
    const before = ofPod.get(pod) ?? []
    for (const wish of before) remove(pod, wish)
    for (const wish of wishes) add(pod, wish)
    if (wishes.length === 0) ofPod.delete(pod)
    else ofPod.set(pod, wishes)
    const isIn = (list: readonly PodWish[], wish: PodWish): boolean => list.some((other) => isSame(wish, other))
    const changed = [...before.filter((wish) => !isIn(wishes, wish)), ...wishes.filter((wish) => !isIn(before, wish))]
    return [...new Set(changed.map(({ name }) => name))]
  }
  return {
    set,
    byName: byName.get,
    byVolume: byVolume.get,
    byNode: (nodeName) => [...new Set(byNode.get(nodeName).map(({ name }) => name))],
    names: byName.keys,
  }
}

// A pod's own changes don't matter here; its volume's do.
const isSame = (a: PodWish, b: PodWish): boolean =>
  a.name === b.name && a.pod.metadata.uid === b.pod.metadata.uid && a.volume.volume === b.volume.volume

type Groups = {
  add(group: string, key: string, wish: PodWish): void
  remove(group: string, key: string): void
  get(group: string): readonly PodWish[]
  keys(): IterableIterator<string>
}

function createGroups(): Groups {
  const groups = new Map<string, Map<string, PodWish>>()
  return {
    add: (group, key, wish) => {
      const members = groups.get(group)
      if (members) members.set(key, wish)
      else groups.set(group, new Map([[key, wish]]))
    },
    remove: (group, key) => {
      const members = groups.get(group)
      if (members?.delete(key) && members.size === 0) groups.delete(group)
    },
    get: (group) => [...(groups.get(group)?.values() ?? [])],
    keys: () => groups.keys(),
  }
}
