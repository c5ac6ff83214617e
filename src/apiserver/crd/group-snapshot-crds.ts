import type {
  CustomResourceDefinition,
  JSONSchemaProps,
  ValidationRule,
} from '../../api/kinds/custom-resource-definition.ts'
import {
  AGE,
  STATUS,
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
  onceSet,
  policy,
  reference,
  rule,
  selector,
  text,
  textMap,
  texts,
  withRules,
} from './snapshot-crd-parts.ts'

const GROUP = {
  group: 'groupsnapshot.storage.k8s.io',
  versions: [
    { name: 'v1', storage: false },
    { name: 'v1beta1', storage: false, deprecated: true },
    { name: 'v1beta2', storage: true },
  ],
  approval: 'https://github.com/kubernetes-csi/external-snapshotter/pull/1337',
} as const

/** Adds rules that v1beta1 does not have. */
const from2 = (version: string, schema: JSONSchemaProps, ...rules: ValidationRule[]): JSONSchemaProps =>
  version === 'v1beta1' ? schema : withRules(schema, ...rules)

const FIXED_REFERENCE: readonly ValidationRule[] = [
  rule(
    'self.name == oldSelf.name && self.__namespace__ == oldSelf.__namespace__',
    'volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace are immutable',
  ),
  rule(
    '!has(oldSelf.uid) || (has(self.uid) && self.uid == oldSelf.uid)',
    'volumeGroupSnapshotRef.uid is immutable once set',
  ),
]
const SNAPSHOT_INFOS: JSONSchemaProps = {
  type: 'array',
  items: object({
    volumeHandle: text,
    snapshotHandle: text,
    creationTime: int64,
    readyToUse: flag,
    restoreSize: int64,
  }),
}
const HANDLE_PAIRS: JSONSchemaProps = {
  type: 'array',
  items: object({ volumeHandle: text, snapshotHandle: text }, { required: ['snapshotHandle', 'volumeHandle'] }),
}

const VOLUME_GROUP_SNAPSHOTS = define({
  ...GROUP,
  ...STATUS,
  scope: 'Namespaced',
  names: {
    plural: 'volumegroupsnapshots',
    singular: 'volumegroupsnapshot',
    kind: 'VolumeGroupSnapshot',
    shortNames: ['vgs'],
  },
  schema: (version) =>
    object(
      {
        spec: object(
          {
            source: withRules(
              object({
                selector: withRules(selector, immutable('selector')),
                volumeGroupSnapshotContentName: withRules(text, immutable('volumeGroupSnapshotContentName')),
              }),
              ...exactlyOne('selector', 'volumeGroupSnapshotContentName'),
            ),
            volumeGroupSnapshotClassName: nonEmpty('volumeGroupSnapshotClassName'),
          },
          { required: ['source'] },
        ),
        status: object({
          boundVolumeGroupSnapshotContentName: from2(version, text, onceSet('boundVolumeGroupSnapshotContentName')),
          creationTime: date,
          readyToUse: flag,
          error,
        }),
      },
      { required: ['spec'] },
    ),
  additionalPrinterColumns: [
    column('ReadyToUse', 'boolean', '.status.readyToUse'),
    column('VolumeGroupSnapshotClass', 'string', '.spec.volumeGroupSnapshotClassName'),
    column('VolumeGroupSnapshotContent', 'string', '.status.boundVolumeGroupSnapshotContentName'),
    column('CreationTime', 'date', '.status.creationTime'),
    AGE,
  ],
})

const VOLUME_GROUP_SNAPSHOT_CONTENTS = define({
  ...GROUP,
  ...STATUS,
  scope: 'Cluster',
  names: {
    plural: 'volumegroupsnapshotcontents',
    singular: 'volumegroupsnapshotcontent',
    kind: 'VolumeGroupSnapshotContent',
    shortNames: ['vgsc', 'vgscs'],
  },
  schema: (version) =>
    object(
      {
        spec: object(
          {
            deletionPolicy: policy,
            driver: from2(version, text, onceSet('driver')),
            source: withRules(
              object({
                volumeHandles: withRules(texts, immutable('volumeHandles')),
                groupSnapshotHandles: withRules(
                  object(
                    {
                      volumeGroupSnapshotHandle: text,
                      volumeSnapshotHandles: texts,
                    },
                    { required: ['volumeGroupSnapshotHandle', 'volumeSnapshotHandles'] },
                  ),
                  immutable('groupSnapshotHandles'),
                ),
              }),
              ...exactlyOne('volumeHandles', 'groupSnapshotHandles'),
            ),
            volumeGroupSnapshotClassName: from2(version, text, onceSet('volumeGroupSnapshotClassName')),
            volumeGroupSnapshotRef: reference(
              'volumeGroupSnapshotRef',
              ...(version === 'v1beta1' ? [] : FIXED_REFERENCE),
            ),
          },
          { required: ['deletionPolicy', 'driver', 'source', 'volumeGroupSnapshotRef'] },
        ),
        status: object({
          volumeGroupSnapshotHandle: from2(version, text, onceSet('volumeGroupSnapshotHandle')),
          creationTime: date,
          readyToUse: flag,
          error,
          ...(version === 'v1beta1'
            ? { volumeSnapshotHandlePairList: HANDLE_PAIRS }
            : { volumeSnapshotInfoList: SNAPSHOT_INFOS }),
        }),
      },
      { required: ['spec'] },
    ),
  additionalPrinterColumns: [
    column('ReadyToUse', 'boolean', '.status.readyToUse'),
    column('DeletionPolicy', 'string', '.spec.deletionPolicy'),
    column('Driver', 'string', '.spec.driver'),
    column('VolumeGroupSnapshotClass', 'string', '.spec.volumeGroupSnapshotClassName'),
    column('VolumeGroupSnapshotNamespace', 'string', '.spec.volumeGroupSnapshotRef.namespace'),
    column('VolumeGroupSnapshot', 'string', '.spec.volumeGroupSnapshotRef.name'),
    AGE,
  ],
})

const VOLUME_GROUP_SNAPSHOT_CLASSES = define({
  ...GROUP,
  scope: 'Cluster',
  names: {
    plural: 'volumegroupsnapshotclasses',
    singular: 'volumegroupsnapshotclass',
    kind: 'VolumeGroupSnapshotClass',
    shortNames: ['vgsclass', 'vgsclasses'],
  },
  schema: (version) =>
    object(
      {
        deletionPolicy: from2(version, policy, onceSet('deletionPolicy')),
        driver: from2(version, text, onceSet('driver')),
        parameters: from2(version, textMap, rule('self == oldSelf', 'parameters are immutable once set')),
      },
      { required: ['deletionPolicy', 'driver'] },
    ),
  additionalPrinterColumns: [
    column('Driver', 'string', '.driver'),
    column('DeletionPolicy', 'string', '.deletionPolicy'),
    AGE,
  ],
})

export const GROUP_SNAPSHOT_CRDS: readonly CustomResourceDefinition[] = [
  VOLUME_GROUP_SNAPSHOTS,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOT_CLASSES,
]
