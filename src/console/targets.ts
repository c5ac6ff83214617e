/** The pages of the console by kind, as `why` abbreviates them. */
const SHORT: Readonly<Record<string, string>> = {
  PersistentVolumeClaim: 'pvc',
  PersistentVolume: 'pv',
  VolumeAttachment: 'va',
  VolumeSnapshot: 'vs',
  VolumeSnapshotContent: 'vsc',
  Pod: 'pod',
  Node: 'node',
  CSIDriver: 'driver',
}

/** The page about an object; undefined if there is none. */
export const targetOf = (kind: string, key: string): string | undefined =>
  Object.hasOwn(SHORT, kind) ? `${SHORT[kind]}/${key}` : undefined

/** A cell that leads to the page about an object, if there is one. */
export function linkTo(kind: string, key: string, text = key): string | { text: string; target: string } {
  const target = targetOf(kind, key)
  return target === undefined ? text : { text, target }
}
