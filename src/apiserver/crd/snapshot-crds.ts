import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { GROUP_SNAPSHOT_CRDS } from './group-snapshot-crds.ts'
import {
  AGE,
  STATUS,
  bytes,
  column,
  date,
  define,
  error,
  exactlyOne,
  flag,
  immutable,
  int64,
  nonEmpty,
  object,
  policy,
  quantity,
  reference,
  rule,
  text,
  textMap,
  withRules,
} from './snapshot-crd-parts.ts'

const SNAPSHOT = {
  group: 'snapshot.storage.k8s.io',
  versions: [{ name: 'v1', storage: true }],
  approval: 'https://github.com/kubernetes-csi/external-snapshotter/pull/814',
} as const

const VOLUME_SNAPSHOTS = define({
  ...SNAPSHOT,
  ...STATUS,
  scope: 'Namespaced',
  names: { plural: 'volumesnapshots', singular: 'volumesnapshot', kind: 'VolumeSnapshot', shortNames: ['vs'] },
  schema: () =>
    object(
      {
        spec: object(
          {
            source: withRules(
              object({
                persistentVolumeClaimName: withRules(text, immutable('persistentVolumeClaimName')),
                volumeSnapshotContentName: withRules(text, immutable('volumeSnapshotContentName')),
              }),
              ...exactlyOne('persistentVolumeClaimName', 'volumeSnapshotContentName', [
                'volumeSnapshotContentName',
                'persistentVolumeClaimName',
              ]),
            ),
            volumeSnapshotClassName: nonEmpty('volumeSnapshotClassName'),
          },
          { required: ['source'] },
        ),
        status: object({
          boundVolumeSnapshotContentName: text,
          creationTime: date,
          readyToUse: flag,
          restoreSize: quantity,
          error,
          volumeGroupSnapshotName: text,
        }),
      },
      { required: ['spec'] },
    ),
  additionalPrinterColumns: [
    column('ReadyToUse', 'boolean', '.status.readyToUse'),
    column('SourcePVC', 'string', '.spec.source.persistentVolumeClaimName'),
    column('SourceSnapshotContent', 'string', '.spec.source.volumeSnapshotContentName'),
    column('RestoreSize', 'string', '.status.restoreSize'),
    column('SnapshotClass', 'string', '.spec.volumeSnapshotClassName'),
    column('SnapshotContent', 'string', '.status.boundVolumeSnapshotContentName'),
    column('CreationTime', 'date', '.status.creationTime'),
    AGE,
  ],
})

const VOLUME_SNAPSHOT_CONTENTS = define({
  ...SNAPSHOT,
  approval: 'https://github.com/kubernetes-csi/external-snapshotter/pull/955',
  ...STATUS,
  scope: 'Cluster',
  names: {
    plural: 'volumesnapshotcontents',
    singular: 'volumesnapshotcontent',
    kind: 'VolumeSnapshotContent',
    shortNames: ['vsc', 'vscs'],
  },
  schema: () =>
    object(
      {
        spec: withRules(
          object(
            {
              deletionPolicy: policy,
              driver: text,
              source: withRules(
                object({
                  volumeHandle: withRules(text, immutable('volumeHandle')),
                  snapshotHandle: withRules(text, immutable('snapshotHandle')),
                }),
                ...exactlyOne('volumeHandle', 'snapshotHandle'),
              ),
              sourceVolumeMode: withRules(text, immutable('sourceVolumeMode')),
              volumeSnapshotClassName: text,
              volumeSnapshotRef: reference('spec.volumeSnapshotRef'),
            },
            { required: ['deletionPolicy', 'driver', 'source', 'volumeSnapshotRef'] },
          ),
          rule('!has(oldSelf.sourceVolumeMode) || has(self.sourceVolumeMode)', 'sourceVolumeMode is required once set'),
        ),
        status: object({
          creationTime: int64,
          error,
          readyToUse: flag,
          restoreSize: bytes,
          snapshotHandle: text,
          volumeGroupSnapshotHandle: text,
        }),
      },
      { required: ['spec'] },
    ),
  additionalPrinterColumns: [
    column('ReadyToUse', 'boolean', '.status.readyToUse'),
    column('RestoreSize', 'integer', '.status.restoreSize'),
    column('DeletionPolicy', 'string', '.spec.deletionPolicy'),
    column('Driver', 'string', '.spec.driver'),
    column('VolumeSnapshotClass', 'string', '.spec.volumeSnapshotClassName'),
    column('VolumeSnapshot', 'string', '.spec.volumeSnapshotRef.name'),
    column('VolumeSnapshotNamespace', 'string', '.spec.volumeSnapshotRef.namespace'),
    AGE,
  ],
})

const VOLUME_SNAPSHOT_CLASSES = define({
  ...SNAPSHOT,
  scope: 'Cluster',
  names: {
    plural: 'volumesnapshotclasses',
    singular: 'volumesnapshotclass',
    kind: 'VolumeSnapshotClass',
    shortNames: ['vsclass', 'vsclasses'],
  },
  schema: () =>
    object({ deletionPolicy: policy, driver: text, parameters: textMap }, { required: ['deletionPolicy', 'driver'] }),
  additionalPrinterColumns: [
    column('Driver', 'string', '.driver'),
    column('DeletionPolicy', 'string', '.deletionPolicy'),
    AGE,
  ],
})

/** Installed on the embedded server from the start. */
export const SNAPSHOT_CRDS: readonly CustomResourceDefinition[] = [
  VOLUME_SNAPSHOTS,
  VOLUME_SNAPSHOT_CONTENTS,
  VOLUME_SNAPSHOT_CLASSES,
  ...GROUP_SNAPSHOT_CRDS,
]
