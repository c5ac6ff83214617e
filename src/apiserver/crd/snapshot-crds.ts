import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
  ValidationRule,
} from '../../api/kinds/custom-resource-definition.ts'

// The snapshot API as release 8 of the external snapshotter has it: names, types and rules; the texts are ours.

const text: JSONSchemaProps = { type: 'string' }
const flag: JSONSchemaProps = { type: 'boolean' }
const date: JSONSchemaProps = { type: 'string', format: 'date-time' }
const int64: JSONSchemaProps = { type: 'integer', format: 'int64' }
const texts: JSONSchemaProps = { type: 'array', items: text }
const textMap: JSONSchemaProps = { type: 'object', additionalProperties: text }
const policy: JSONSchemaProps = { type: 'string', enum: ['Delete', 'Retain'] }
const bytes: JSONSchemaProps = { ...int64, minimum: 0 }
const error: JSONSchemaProps = { type: 'object', properties: { time: date, message: text } }
const quantity: JSONSchemaProps = {
  'x-kubernetes-int-or-string': true,
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
}

const rule = (expression: string, message: string): ValidationRule => ({ rule: expression, message })
const immutable = (what: string): ValidationRule => rule('self == oldSelf', `${what} is immutable once set`)
const object = (properties: Record<string, JSONSchemaProps>, more: Partial<JSONSchemaProps> = {}): JSONSchemaProps => ({
  type: 'object',
  properties,
  ...more,
})
const withRules = (schema: JSONSchemaProps, ...rules: ValidationRule[]): JSONSchemaProps => ({
  ...schema,
  'x-kubernetes-validations': rules,
})
const nonEmpty = (what: string): JSONSchemaProps =>
  withRules(text, rule('size(self) > 0', `${what} must not be empty when it is set`))

// Exactly one of two members, which then stays.
const exactlyOne = (first: string, second: string): ValidationRule[] => [
  rule(`!has(oldSelf.${first}) || has(self.${first})`, `${first} is required once set`),
  rule(`!has(oldSelf.${second}) || has(self.${second})`, `${second} is required once set`),
  rule(
    `(has(self.${first}) && !has(self.${second})) || (!has(self.${first}) && has(self.${second}))`,
    `exactly one of ${first} and ${second} must be set`,
  ),
]

const reference = (...rules: ValidationRule[]): JSONSchemaProps =>
  withRules(
    object(
      { apiVersion: text, kind: text, namespace: text, name: text, uid: text, resourceVersion: text, fieldPath: text },
      { 'x-kubernetes-map-type': 'atomic' },
    ),
    rule('has(self.name) && has(self.__namespace__)', 'both name and namespace must be set'),
    ...rules,
  )

const selector: JSONSchemaProps = object(
  {
    matchLabels: textMap,
    matchExpressions: {
      type: 'array',
      items: object(
        { key: text, operator: text, values: { ...texts, 'x-kubernetes-list-type': 'atomic' } },
        { required: ['key', 'operator'] },
      ),
      'x-kubernetes-list-type': 'atomic',
    },
  },
  { 'x-kubernetes-map-type': 'atomic' },
)

const column = (name: string, type: string, jsonPath: string): CustomResourceColumnDefinition => ({
  name,
  type,
  jsonPath,
})
const AGE = column('Age', 'date', '.metadata.creationTimestamp')

type Definition = {
  group: string
  scope: 'Cluster' | 'Namespaced'
  names: CustomResourceDefinitionNames
  versions: readonly Pick<CustomResourceDefinitionVersion, 'name' | 'storage'>[]
} & Pick<CustomResourceDefinitionVersion, 'additionalPrinterColumns' | 'subresources'> & {
    schema: JSONSchemaProps
    approval: string
  }

function define({ group, scope, names, versions, schema, approval, ...version }: Definition): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}`, annotations: { 'api-approved.kubernetes.io': approval } },
    spec: {
      group,
      scope,
      names,
      versions: versions.map((each) => ({ ...each, served: true, schema: { openAPIV3Schema: schema }, ...version })),
    },
  }
}

const SNAPSHOT = {
  group: 'snapshot.storage.k8s.io',
  versions: [{ name: 'v1', storage: true }],
  approval: 'https://github.com/kubernetes-csi/external-snapshotter/pull/814',
} as const
const STATUS = { subresources: { status: {} } } as const

const VOLUME_SNAPSHOTS = define({
  ...SNAPSHOT,
  ...STATUS,
  scope: 'Namespaced',
  names: { plural: 'volumesnapshots', singular: 'volumesnapshot', kind: 'VolumeSnapshot', shortNames: ['vs'] },
  schema: object(
    {
      spec: object(
        {
          source: withRules(
            object({
              persistentVolumeClaimName: withRules(text, immutable('persistentVolumeClaimName')),
              volumeSnapshotContentName: withRules(text, immutable('volumeSnapshotContentName')),
            }),
            ...exactlyOne('persistentVolumeClaimName', 'volumeSnapshotContentName'),
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
  ...STATUS,
  scope: 'Cluster',
  names: {
    plural: 'volumesnapshotcontents',
    singular: 'volumesnapshotcontent',
    kind: 'VolumeSnapshotContent',
    shortNames: ['vsc', 'vscs'],
  },
  schema: object(
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
            volumeSnapshotRef: reference(),
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
  schema: object(
    { deletionPolicy: policy, driver: text, parameters: textMap },
    { required: ['deletionPolicy', 'driver'] },
  ),
  additionalPrinterColumns: [
    column('Driver', 'string', '.driver'),
    column('DeletionPolicy', 'string', '.deletionPolicy'),
    AGE,
  ],
})

const GROUP = {
  group: 'groupsnapshot.storage.k8s.io',
  versions: [
    { name: 'v1', storage: false },
    { name: 'v1beta2', storage: true },
  ],
  approval: 'https://github.com/kubernetes-csi/external-snapshotter/pull/1150',
} as const

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
  schema: object(
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
        boundVolumeGroupSnapshotContentName: withRules(text, immutable('boundVolumeGroupSnapshotContentName')),
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
  schema: object(
    {
      spec: object(
        {
          deletionPolicy: policy,
          driver: withRules(text, immutable('driver')),
          source: withRules(
            object({
              volumeHandles: withRules({ ...texts, 'x-kubernetes-list-type': 'atomic' }, immutable('volumeHandles')),
              groupSnapshotHandles: withRules(
                object(
                  {
                    volumeGroupSnapshotHandle: text,
                    volumeSnapshotHandles: { ...texts, 'x-kubernetes-list-type': 'atomic' },
                  },
                  { required: ['volumeGroupSnapshotHandle', 'volumeSnapshotHandles'] },
                ),
                immutable('groupSnapshotHandles'),
              ),
            }),
            ...exactlyOne('volumeHandles', 'groupSnapshotHandles'),
          ),
          volumeGroupSnapshotClassName: withRules(text, immutable('volumeGroupSnapshotClassName')),
          volumeGroupSnapshotRef: reference(
            rule(
              'self.name == oldSelf.name && self.__namespace__ == oldSelf.__namespace__',
              'name and namespace are immutable',
            ),
            rule('!has(oldSelf.uid) || (has(self.uid) && self.uid == oldSelf.uid)', 'uid is immutable once set'),
          ),
        },
        { required: ['deletionPolicy', 'driver', 'source', 'volumeGroupSnapshotRef'] },
      ),
      status: object({
        volumeGroupSnapshotHandle: withRules(text, immutable('volumeGroupSnapshotHandle')),
        creationTime: date,
        readyToUse: flag,
        error,
        volumeSnapshotInfoList: {
          type: 'array',
          'x-kubernetes-list-type': 'atomic',
          items: object({
            volumeHandle: text,
            snapshotHandle: text,
            creationTime: int64,
            readyToUse: flag,
            restoreSize: bytes,
          }),
        },
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
  schema: object(
    {
      deletionPolicy: withRules(policy, immutable('deletionPolicy')),
      driver: withRules(text, immutable('driver')),
      parameters: withRules(textMap, immutable('parameters')),
    },
    { required: ['deletionPolicy', 'driver'] },
  ),
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
  VOLUME_GROUP_SNAPSHOTS,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOT_CLASSES,
]
