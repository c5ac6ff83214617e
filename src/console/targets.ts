import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/object.ts'
import type { TargetKind } from '../explain/index.ts'

/** The pages of the console by kind, as `why` abbreviates them. */
const SHORT: Readonly<Record<TargetKind, string>> = {
  PersistentVolumeClaim: 'pvc',
  PersistentVolume: 'pv',
  VolumeAttachment: 'va',
  VolumeSnapshot: 'vs',
  VolumeSnapshotContent: 'vsc',
  VolumeGroupSnapshot: 'vgs',
  VolumeGroupSnapshotContent: 'vgsc',
  Pod: 'pod',
  Node: 'node',
  Namespace: 'ns',
  StorageClass: 'sc',
  VolumeAttributesClass: 'vac',
  VolumeSnapshotClass: 'vsclass',
  CSIDriver: 'driver',
  StatefulSet: 'sts',
  Deployment: 'deploy',
  ReplicaSet: 'rs',
  DaemonSet: 'ds',
  Job: 'job',
}

const hasPage = (kind: string): kind is TargetKind => Object.hasOwn(SHORT, kind)

/** The page about an object; undefined if there is none. */
export const targetOf = (kind: string, key: string): string | undefined =>
  hasPage(kind) ? `${SHORT[kind]}/${key}` : undefined

/** The link of a row to the page about its object. */
export function linkOf(object: KubeObject): { readonly target?: string } {
  const target = targetOf(object.kind, keyOf(object))
  return target === undefined ? {} : { target }
}

/** A cell that leads to the page about an object, if there is one. */
export function linkTo(kind: string, key: string, text = key): string | { text: string; target: string } {
  const target = targetOf(kind, key)
  return target === undefined ? text : { text, target }
}
