import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { openTestCore } from '../testing/open-test-core.ts'
import { SNAPSHOT_CRDS } from './snapshot-crds.ts'

type Values = Readonly<Record<string, unknown>>
type Case = {
  readonly kind: string
  /** The object without type and metadata. */
  readonly before?: Values
  /** The rejected object: a new one, or a change of `before`. */
  readonly after: Values
  readonly message: string
}

const ref = { name: 's', namespace: 'default' }
const content = (more: Values): Values => ({
  spec: { deletionPolicy: 'Delete', driver: 'd', source: { volumeHandle: 'v' }, volumeSnapshotRef: ref, ...more },
})
const groupContent = (more: Values): Values => ({
  spec: {
    deletionPolicy: 'Delete',
    driver: 'd',
    source: { volumeHandles: ['v'] },
    volumeGroupSnapshotRef: ref,
    ...more,
  },
})
const handles = { volumeGroupSnapshotHandle: 'g', volumeSnapshotHandles: ['s'] }
const ofClaim = { spec: { source: { persistentVolumeClaimName: 'c' } } }
const ofContent = { spec: { source: { volumeSnapshotContentName: 'c' } } }
const ofSelector = { spec: { source: { selector: { matchLabels: { a: 'b' } } } } }
const ofGroupContent = { spec: { source: { volumeGroupSnapshotContentName: 'c' } } }
const groupClass = { driver: 'd', deletionPolicy: 'Delete', parameters: { a: 'b' } }
const VS = 'VolumeSnapshot'
const VSC = 'VolumeSnapshotContent'
const VGS = 'VolumeGroupSnapshot'
const VGSC = 'VolumeGroupSnapshotContent'
const CLASS = 'VolumeGroupSnapshotClass'
const change = (kind: string, before: Values, after: Values, message: string): Case => ({
  kind,
  before,
  after,
  message,
})
const refuse = (kind: string, after: Values, message: string): Case => ({ kind, after, message })

/** Every rule of the snapshot CRDs, by its message. */
const CASES: readonly Case[] = [
  refuse(
    VS,
    { spec: { source: {} } },
    'exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set',
  ),
  change(
    VS,
    ofClaim,
    { spec: { source: { persistentVolumeClaimName: 'd' } } },
    'persistentVolumeClaimName is immutable',
  ),
  change(VS, ofClaim, ofContent, 'persistentVolumeClaimName is required once set'),
  change(
    VS,
    ofContent,
    { spec: { source: { volumeSnapshotContentName: 'd' } } },
    'volumeSnapshotContentName is immutable',
  ),
  change(VS, ofContent, ofClaim, 'volumeSnapshotContentName is required once set'),
  refuse(
    VS,
    { spec: { ...ofClaim.spec, volumeSnapshotClassName: '' } },
    'volumeSnapshotClassName must not be the empty string when set',
  ),
  refuse(VSC, content({ source: {} }), 'exactly one of volumeHandle and snapshotHandle must be set'),
  change(VSC, content({}), content({ source: { volumeHandle: 'w' } }), 'volumeHandle is immutable'),
  change(VSC, content({}), content({ source: { snapshotHandle: 'w' } }), 'volumeHandle is required once set'),
  change(
    VSC,
    content({ source: { snapshotHandle: 'h' } }),
    content({ source: { snapshotHandle: 'i' } }),
    'snapshotHandle is immutable',
  ),
  change(VSC, content({ source: { snapshotHandle: 'h' } }), content({}), 'snapshotHandle is required once set'),
  change(
    VSC,
    content({ sourceVolumeMode: 'Block' }),
    content({ sourceVolumeMode: 'Filesystem' }),
    'sourceVolumeMode is immutable',
  ),
  change(VSC, content({ sourceVolumeMode: 'Block' }), content({}), 'sourceVolumeMode is required once set'),
  refuse(
    VSC,
    content({ volumeSnapshotRef: { name: 's' } }),
    'both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set',
  ),
  refuse(VGS, { spec: { source: {} } }, 'exactly one of selector and volumeGroupSnapshotContentName must be set'),
  change(VGS, ofSelector, { spec: { source: { selector: {} } } }, 'selector is immutable'),
  change(VGS, ofSelector, ofGroupContent, 'selector is required once set'),
  change(
    VGS,
    ofGroupContent,
    { spec: { source: { volumeGroupSnapshotContentName: 'd' } } },
    'volumeGroupSnapshotContentName is immutable',
  ),
  change(VGS, ofGroupContent, ofSelector, 'volumeGroupSnapshotContentName is required once set'),
  refuse(
    VGS,
    { spec: { ...ofSelector.spec, volumeGroupSnapshotClassName: '' } },
    'volumeGroupSnapshotClassName must not be the empty string when set',
  ),
  change(
    VGS,
    { ...ofSelector, status: { boundVolumeGroupSnapshotContentName: 'c' } },
    { ...ofSelector, status: { boundVolumeGroupSnapshotContentName: 'd' } },
    'boundVolumeGroupSnapshotContentName is immutable once set',
  ),
  refuse(VGSC, groupContent({ source: {} }), 'exactly one of volumeHandles and groupSnapshotHandles must be set'),
  change(VGSC, groupContent({}), groupContent({ source: { volumeHandles: ['v', 'w'] } }), 'volumeHandles is immutable'),
  change(
    VGSC,
    groupContent({}),
    groupContent({ source: { groupSnapshotHandles: handles } }),
    'volumeHandles is required once set',
  ),
  change(
    VGSC,
    groupContent({ source: { groupSnapshotHandles: handles } }),
    groupContent({ source: { groupSnapshotHandles: { ...handles, volumeGroupSnapshotHandle: 'h' } } }),
    'groupSnapshotHandles is immutable',
  ),
  change(
    VGSC,
    groupContent({ source: { groupSnapshotHandles: handles } }),
    groupContent({}),
    'groupSnapshotHandles is required once set',
  ),
  change(VGSC, groupContent({}), groupContent({ driver: 'e' }), 'driver is immutable once set'),
  change(
    VGSC,
    groupContent({ volumeGroupSnapshotClassName: 'a' }),
    groupContent({ volumeGroupSnapshotClassName: 'b' }),
    'volumeGroupSnapshotClassName is immutable once set',
  ),
  refuse(
    VGSC,
    groupContent({ volumeGroupSnapshotRef: { name: 's' } }),
    'both volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace must be set',
  ),
  change(
    VGSC,
    groupContent({}),
    groupContent({ volumeGroupSnapshotRef: { ...ref, name: 't' } }),
    'volumeGroupSnapshotRef.name and volumeGroupSnapshotRef.namespace are immutable',
  ),
  change(
    VGSC,
    groupContent({ volumeGroupSnapshotRef: { ...ref, uid: 'u' } }),
    groupContent({ volumeGroupSnapshotRef: ref }),
    'volumeGroupSnapshotRef.uid is immutable once set',
  ),
  change(
    VGSC,
    { ...groupContent({}), status: { volumeGroupSnapshotHandle: 'g' } },
    { ...groupContent({}), status: { volumeGroupSnapshotHandle: 'h' } },
    'volumeGroupSnapshotHandle is immutable once set',
  ),
  change(CLASS, groupClass, { ...groupClass, driver: 'e' }, 'driver is immutable once set'),
  change(CLASS, groupClass, { ...groupClass, deletionPolicy: 'Retain' }, 'deletionPolicy is immutable once set'),
  change(CLASS, groupClass, { ...groupClass, parameters: { a: 'c' } }, 'parameters are immutable once set'),
]

const typeOf = (kind: string, version: string): ResourceType => {
  const definition = SNAPSHOT_CRDS.find(({ spec }) => spec.names.kind === kind)
  if (!definition) throw new Error(`there is no ${kind}`)
  const { group, names, scope } = definition.spec
  return { group, version, kind, plural: names.plural, namespaced: scope === 'Namespaced' }
}

describe('rules of the snapshot CRDs', () => {
  for (const { kind, before, after, message } of CASES)
    for (const version of kind.includes('Group') ? ['v1', 'v1beta2'] : ['v1'])
      test(`${kind} ${version}: ${message}`, async (context) => {
        const { api } = await openTestCore(context)
        const type = typeOf(kind, version)
        const objectOf = (values: Values): KubeObject => ({
          apiVersion: `${type.group}/${version}`,
          kind,
          metadata: { name: 'one', ...(type.namespaced ? { namespace: 'default' } : {}) },
          ...values,
        })
        const write = async (values: Values, isNew: boolean): Promise<void> => {
          const place = { name: 'one', ...(type.namespaced ? { namespace: 'default' } : {}) }
          if (isNew) await api.create(type, objectOf(values))
          else await api.update(type, { ...objectOf(values), metadata: (await api.get(type, place)).metadata })
          if ('status' in values)
            await api.patch(
              type,
              place,
              { type: 'merge', value: { status: values['status'] } },
              { subresource: 'status' },
            )
        }
        if (before) await write(before, true)
        const refused = await write(after, !before).then(
          () => 'accepted',
          (error: Error) => error.message,
        )
        equal(refused.includes(message), true, refused)
      })

  test('each rule has a case here', () => {
    const messages = new Set<string>()
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, part] of Object.entries(value)) {
        if (key === 'x-kubernetes-validations')
          for (const { message } of part as { message: string }[]) messages.add(message)
        else collect(part)
      }
    }
    collect(SNAPSHOT_CRDS)
    const tested = new Set(CASES.map(({ message }) => message))
    deepEqual(
      [...messages].filter((message) => !tested.has(message)),
      [],
    )
  })
})
