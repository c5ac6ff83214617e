import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isNotFound } from '../../api/api-error.ts'
import { findCondition } from '../../api/conditions.ts'
import { CUSTOM_RESOURCE_DEFINITIONS as CRDS } from '../../api/kinds/custom-resource-definition.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { createSimulatedBackend } from '../../testing/simulated-backend.ts'
import { isRefusal } from '../testing/is-refusal.ts'
import { openServerUnderTest, recordWatch } from '../testing/open-server-under-test.ts'
import type { ServerUnderTest } from '../testing/open-server-under-test.ts'
import { gadget, gadgetCrd, gadgets, versionOf } from './testing/crd-under-test.ts'

const at = (name: string) => ({ namespace: 'default', name })
const GADGETS = gadgets()
const unknownKind = isRefusal('NotFound', /could not find the requested resource/)
const conditions = ({ status }: CustomResourceDefinition) =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status: value, reason }) => [type, `${value} ${reason}`]))
const readCrd = (server: ServerUnderTest, plural = 'gadgets') => server.api.get(CRDS, { name: `${plural}.example.com` })

describe('a definition', () => {
  test('is served as soon as its creation is answered, and says so', async () => {
    await using server = await openServerUnderTest()
    const made = await server.api.create(CRDS, gadgetCrd())
    deepEqual(conditions(made), { NamesAccepted: 'True NoConflicts', Established: 'True InitialNamesAccepted' })
    deepEqual(made.status?.storedVersions, ['v1'])
    deepEqual(made.status?.acceptedNames, {
      plural: 'gadgets',
      singular: 'gadget',
      kind: 'Gadget',
      listKind: 'GadgetList',
    })
    equal(findCondition(made.status?.conditions, 'Established')?.lastTransitionTime, '2030-01-01T00:00:00Z')
    equal((await server.api.create(GADGETS, gadget('g', { size: 1 }))).spec?.['size'], 1)
  })

  test('is served the moment that others can see it', async () => {
    await using server = await openServerUnderTest()
    const served: boolean[] = []
    server.core.parts.store.onChange(({ key }) => {
      if (key === 'gadgets.example.com')
        served.push(server.core.parts.kinds.findByResource('example.com', 'v1', 'gadgets') !== undefined)
    })
    await server.api.create(CRDS, gadgetCrd())
    deepEqual(served, [true])
  })

  test('that only differs in its labels changes nothing of what is served', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd())
    const kind = server.core.parts.kinds.findByResource('example.com', 'v1', 'gadgets')
    await server.api.patch(
      CRDS,
      { name: 'gadgets.example.com' },
      { type: 'merge', value: { metadata: { labels: { a: 'b' } } } },
    )
    equal(server.core.parts.kinds.findByResource('example.com', 'v1', 'gadgets'), kind)
  })

  test('is served again after a restart, with its objects', async () => {
    const backend = createSimulatedBackend()
    const first = await openServerUnderTest({ backend })
    await first.api.create(CRDS, gadgetCrd())
    const made = await first.api.create(GADGETS, gadget('g', { size: 1 }))
    await first.close()
    await using server = await openServerUnderTest({ backend })
    deepEqual(await server.api.get(GADGETS, at('g')), made)
  })

  test('gets its conditions back when a client clears them', async () => {
    await using server = await openServerUnderTest()
    const { status } = await server.api.create(CRDS, gadgetCrd())
    await server.api.patch(
      CRDS,
      { name: 'gadgets.example.com' },
      { type: 'merge', value: { status: { conditions: [] } } },
      { subresource: 'status' },
    )
    await server.settled()
    deepEqual(conditions(await readCrd(server)), conditions({ ...gadgetCrd(), ...(status ? { status } : {}) }))
  })

  test('that is wrong is refused with all that is wrong', async () => {
    await using server = await openServerUnderTest()
    await rejects(
      server.api.create(CRDS, { ...gadgetCrd(), metadata: { name: 'other.example.com' } }),
      isRefusal('Invalid', /must be spec\.names\.plural\+"\."\+spec\.group/),
    )
    await rejects(
      server.api.create(CRDS, { ...gadgetCrd(), spec: { group: 'example.com' } } as never),
      isRefusal('Invalid', /spec\.scope: Required value/),
    )
    const odd = versionOf({ size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self.nonsense(' }] } })
    await rejects(
      server.api.create(CRDS, gadgetCrd({ versions: [odd] })),
      isRefusal('Invalid', /x-kubernetes-validations/),
    )
    deepEqual((await server.api.list(CRDS, { fieldSelector: 'metadata.name=gadgets.example.com' })).items, [])
  })
})

describe('names of a definition', () => {
  const sameKind = (plural: string) => gadgetCrd({ names: { plural, kind: 'Gadget' } }, plural)

  test('that are taken keep it from being served', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd())
    const made = await server.api.create(CRDS, sameKind('widgets'))
    deepEqual(conditions(made), { NamesAccepted: 'False NameConflict', Established: 'False NotAccepted' })
    await rejects(server.api.list(gadgets('v1', { plural: 'widgets' })), unknownKind)
    equal((await server.api.create(GADGETS, gadget('g'))).kind, 'Gadget')
  })

  test('are given to one of two that are made at the same time', async () => {
    await using server = await openServerUnderTest()
    const made = await Promise.all([
      server.api.create(CRDS, sameKind('gadgets')),
      server.api.create(CRDS, sameKind('widgets')),
    ])
    deepEqual(
      made.map((crd) => conditions(crd)['NamesAccepted']),
      ['True NoConflicts', 'False NameConflict'],
    )
  })

  test('clash also by short name, singular and kind of list, within one group', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd({ names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['g'] } }))
    const others = [
      { plural: 'a', kind: 'A', shortNames: ['g'] },
      { plural: 'b', kind: 'B', singular: 'gadgets' },
      { plural: 'c', kind: 'C', shortNames: ['gadget'] },
      { plural: 'd', kind: 'D', listKind: 'GadgetList' },
      { plural: 'e', kind: 'GadgetList', listKind: 'Lists' },
    ]
    for (const names of others)
      equal(
        conditions(await server.api.create(CRDS, gadgetCrd({ names }, names.plural)))['NamesAccepted'],
        'False NameConflict',
        JSON.stringify(names),
      )
    const elsewhere = {
      ...gadgetCrd({ group: 'example.org', names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['g'] } }),
      metadata: { name: 'gadgets.example.org' },
    }
    equal(conditions(await server.api.create(CRDS, elsewhere))['NamesAccepted'], 'True NoConflicts')
  })

  test('can not be those of a kind that is built in', async () => {
    await using server = await openServerUnderTest()
    const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' }
    const names = { plural: 'storageclasses', kind: 'StorageClass' }
    const crd = {
      ...gadgetCrd({ group: 'storage.k8s.io', names }),
      metadata: { name: 'storageclasses.storage.k8s.io', annotations },
    }
    equal(conditions(await server.api.create(CRDS, crd))['NamesAccepted'], 'False NameConflict')
    ok(server.core.parts.kinds.findByResource('storage.k8s.io', 'v1', 'storageclasses')?.columns.length)
  })

  test('become its own once they are free', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd())
    await server.api.create(CRDS, sameKind('widgets'))
    await server.api.delete(CRDS, { name: 'gadgets.example.com' })
    await server.settled()
    deepEqual(conditions(await readCrd(server, 'widgets')), {
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    })
    equal((await server.api.list(gadgets('v1', { plural: 'widgets' }))).items.length, 0)
  })

  test('that are taken later do not take away what is served', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd({ names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['g'] } }))
    await server.api.create(
      CRDS,
      gadgetCrd({ names: { plural: 'widgets', kind: 'Widget', shortNames: ['w'] } }, 'widgets'),
    )
    const changed = await server.api.patch(
      CRDS,
      { name: 'widgets.example.com' },
      { type: 'merge', value: { spec: { names: { shortNames: ['g'] } } } },
    )
    deepEqual(conditions(changed), { NamesAccepted: 'False NameConflict', Established: 'True InitialNamesAccepted' })
    deepEqual(server.core.parts.kinds.findByResource('example.com', 'v1', 'widgets')?.shortNames, ['w'])
    await server.api.patch(
      CRDS,
      { name: 'gadgets.example.com' },
      { type: 'merge', value: { spec: { names: { shortNames: ['other'] } } } },
    )
    await server.settled()
    deepEqual(server.core.parts.kinds.findByResource('example.com', 'v1', 'widgets')?.shortNames, ['g'])
  })
})

describe('versions of a definition', () => {
  const versions = [
    versionOf({ size: { type: 'integer' } }),
    versionOf({ size: { type: 'integer' } }, { name: 'v1beta1', storage: false }),
    versionOf({}, { name: 'v1alpha1', storage: false, served: false }),
  ]

  test('share their objects, each under its own name', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd({ versions }))
    const made = await server.api.create(gadgets('v1beta1'), gadget('g', { size: 1 }, {}, 'v1beta1'))
    equal(made.apiVersion, 'example.com/v1beta1')
    const read = await server.api.get(GADGETS, at('g'))
    deepEqual([read.apiVersion, read.metadata.uid, read.spec], ['example.com/v1', made.metadata.uid, { size: 1 }])
    const changed = await server.api.patch(GADGETS, at('g'), { type: 'merge', value: { spec: { size: 2 } } })
    const beta = await server.api.list(gadgets('v1beta1'))
    deepEqual(
      beta.items.map(({ apiVersion, metadata, spec }) => [apiVersion, metadata.resourceVersion, spec]),
      [['example.com/v1beta1', changed.metadata.resourceVersion, { size: 2 }]],
    )
    await rejects(server.api.create(GADGETS, gadget('g')), isRefusal('AlreadyExists', /exists/))
  })

  test('are all watched by whoever watches one', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd({ versions }))
    using watch = recordWatch((signal) => server.api.watch(gadgets('v1beta1'), { signal }))
    await server.settled()
    await server.api.create(GADGETS, gadget('g'))
    await server.settled()
    deepEqual(
      watch.events.map((event) => event.type === 'ADDED' && event.object.apiVersion),
      ['example.com/v1beta1'],
    )
  })

  test('that are not served are not there', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd({ versions }))
    await rejects(server.api.list(gadgets('v1alpha1')), unknownKind)
    await server.api.patch(
      CRDS,
      { name: 'gadgets.example.com' },
      {
        type: 'json',
        operations: [
          { op: 'replace', path: '/spec/versions/1/served', value: false },
          { op: 'replace', path: '/spec/versions/2/served', value: true },
        ],
      },
    )
    await rejects(server.api.list(gadgets('v1beta1')), unknownKind)
    equal((await server.api.list(gadgets('v1alpha1'))).items.length, 0)
  })

  test('that have been stored are remembered when another one is', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd({ versions }))
    await server.api.create(GADGETS, gadget('old', { size: 1 }))
    const swap = (index: number, value: boolean) =>
      ({ op: 'replace', path: `/spec/versions/${index}/storage`, value }) as const
    const changed = await server.api.patch(
      CRDS,
      { name: 'gadgets.example.com' },
      { type: 'json', operations: [swap(0, false), swap(1, true)] },
    )
    deepEqual(changed.status?.storedVersions, ['v1', 'v1beta1'])
    equal((await server.api.get(GADGETS, at('old'))).apiVersion, 'example.com/v1')
    equal((await server.api.get(gadgets('v1beta1'), at('old'))).apiVersion, 'example.com/v1beta1')
  })

  test('that change end the watches, which can be resumed', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd({ versions }))
    const watch = recordWatch((signal) => server.api.watch(gadgets('v1beta1'), { signal }))
    await server.settled()
    await server.api.create(GADGETS, gadget('g'))
    await server.api.patch(
      CRDS,
      { name: 'gadgets.example.com' },
      { type: 'json', operations: [{ op: 'replace', path: '/spec/versions/1/served', value: false }] },
    )
    equal(await watch.ended, undefined)
    deepEqual(watch.texts(), ['ADDED g'])
  })

  test('that are deprecated come with a warning', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(
      CRDS,
      gadgetCrd({ versions: [versionOf(), versionOf({}, { name: 'v1beta1', storage: false, deprecated: true })] }),
    )
    const kind = server.core.parts.kinds.findByResource('example.com', 'v1beta1', 'gadgets')
    deepEqual(kind?.warnings?.({}), ['example.com/v1beta1 Gadget is deprecated'])
  })
})

describe('objects of a definition', () => {
  const open = async (properties: Parameters<typeof versionOf>[0], more: Parameters<typeof versionOf>[1] = {}) => {
    const server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd({ versions: [versionOf(properties, more)] }))
    return server
  }

  test('get their defaults when they are written', async () => {
    await using server = await open({
      size: { type: 'integer', default: 3 },
      mode: { type: 'object', default: {}, properties: { name: { type: 'string', default: 'x' } } },
    })
    deepEqual((await server.api.create(GADGETS, gadget('g'))).spec, { size: 3, mode: { name: 'x' } })
    deepEqual((await server.api.create(GADGETS, gadget('h', { size: null }))).spec?.['size'], 3)
  })

  test('get new defaults when they are read, and keep their revision', async () => {
    await using server = await open({ size: { type: 'integer' } })
    const made = await server.api.create(GADGETS, gadget('g', { size: 1 }))
    const property = { type: 'string', default: 'new' }
    await server.api.patch(
      CRDS,
      { name: 'gadgets.example.com' },
      {
        type: 'json',
        operations: [
          {
            op: 'add',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color',
            value: property,
          },
        ],
      },
    )
    const read = await server.api.get(GADGETS, at('g'))
    deepEqual([read.spec, read.metadata.resourceVersion], [{ size: 1, color: 'new' }, made.metadata.resourceVersion])
    deepEqual((await server.api.list(GADGETS)).items[0]?.spec, { size: 1, color: 'new' })
    const changed = await server.api.patch(GADGETS, at('g'), { type: 'merge', value: { spec: { size: 2 } } })
    deepEqual(changed.spec, { size: 2, color: 'new' })
  })

  test('lose what the schema does not know, or are refused for it', async () => {
    await using server = await open({ free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } })
    const sent = gadget('g', { surprise: 1, free: { anything: [1] } })
    await rejects(
      server.api.create(GADGETS, sent),
      isRefusal('BadRequest', /strict decoding error: unknown field "spec\.surprise"/),
    )
    deepEqual((await server.api.create(GADGETS, sent, { fieldValidation: 'Ignore' })).spec, { free: { anything: [1] } })
  })

  test('are checked against the schema', async () => {
    await using server = await open({
      size: { type: 'integer', minimum: 1 },
      color: { type: 'string', enum: ['red', 'blue'] },
    })
    await rejects(
      server.api.create(GADGETS, gadget('g', { size: 0 })),
      isRefusal('Invalid', /^Gadget\.example\.com "g" is invalid: spec\.size/),
    )
    await rejects(
      server.api.create(GADGETS, gadget('g', { color: 'green' })),
      isRefusal('Invalid', /spec\.color: Unsupported value: "green"/),
    )
    await rejects(server.api.create(GADGETS, gadget('g', { size: 'big' })), isRefusal('Invalid', /spec\.size/))
  })

  test('are held to rules, over time where a rule says so', async () => {
    const size = {
      type: 'integer',
      'x-kubernetes-validations': [
        { rule: 'self >= oldSelf', message: 'may only grow' },
        { rule: 'self > 0', message: 'must be positive' },
      ],
    }
    await using server = await open({ size })
    await rejects(
      server.api.create(GADGETS, gadget('g', { size: -1 })),
      isRefusal('Invalid', /spec\.size: Invalid value: .*must be positive/),
    )
    await server.api.create(GADGETS, gadget('g', { size: 5 }))
    const resize = (value: number) =>
      server.api.patch(GADGETS, at('g'), { type: 'merge', value: { spec: { size: value } } })
    await rejects(resize(4), isRefusal('Invalid', /may only grow/))
    equal((await resize(6)).spec?.['size'], 6)
  })

  test('count their generation by everything but metadata and status', async () => {
    await using server = await open({ size: { type: 'integer' } }, { subresources: { status: {} } })
    const made = await server.api.create(GADGETS, { ...gadget('g', { size: 1 }), status: { sent: true } })
    deepEqual([made.metadata.generation, made.status], [1, undefined])
    const patch = async (value: object, subresource?: string) =>
      (await server.api.patch(GADGETS, at('g'), { type: 'merge', value }, subresource ? { subresource } : {})).metadata
        .generation
    equal(await patch({ metadata: { labels: { a: 'b' } } }), 1)
    equal(await patch({ status: { ready: true } }, 'status'), 1)
    equal(await patch({ status: { ready: false } }), 1)
    equal(await patch({ spec: { size: 2 } }), 2)
    deepEqual((await server.api.get(GADGETS, at('g'))).status, { ready: true })
  })

  test('count their status too when it has no door of its own', async () => {
    await using server = await open({})
    await server.api.create(GADGETS, gadget('g'))
    equal(
      (await server.api.patch(GADGETS, at('g'), { type: 'merge', value: { status: { ready: true } } })).metadata
        .generation,
      2,
    )
    await rejects(
      server.api.patch(GADGETS, at('g'), { type: 'merge', value: {} }, { subresource: 'status' }),
      unknownKind,
    )
  })

  test('need their version for an update', async () => {
    await using server = await open({})
    await server.api.create(GADGETS, gadget('g'))
    await rejects(
      server.api.update(GADGETS, gadget('g')),
      isRefusal('Invalid', /metadata\.resourceVersion: Invalid value: 0: must be specified for an update/),
    )
  })

  test('are selected by the fields that the definition names', async () => {
    await using server = await open({ color: { type: 'string' } }, { selectableFields: [{ jsonPath: '.spec.color' }] })
    for (const color of ['red', 'blue']) await server.api.create(GADGETS, gadget(color, { color }))
    deepEqual(
      (await server.api.list(GADGETS, { fieldSelector: 'spec.color=red' })).items.map(({ metadata }) => metadata.name),
      ['red'],
    )
    await rejects(
      server.api.list(GADGETS, { fieldSelector: 'spec.size=1' }),
      isRefusal('BadRequest', /field label not supported: spec\.size/),
    )
  })
})

describe('deleting a definition', () => {
  test('takes its objects first, then ends the watches, then takes the definition', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd())
    for (const name of ['a', 'b']) await server.api.create(GADGETS, gadget(name))
    const objects = recordWatch((signal) => server.api.watch(GADGETS, { signal }))
    using definitions = recordWatch((signal) =>
      server.api.watch(CRDS, { fieldSelector: 'metadata.name=gadgets.example.com', signal }),
    )
    await server.settled()
    await server.api.delete(CRDS, { name: 'gadgets.example.com' })
    await server.settled()
    equal(await objects.ended, undefined)
    deepEqual(objects.texts().slice(2).sort(), ['DELETED a', 'DELETED b'])
    deepEqual(definitions.texts(), [
      'ADDED gadgets.example.com',
      'MODIFIED gadgets.example.com',
      'DELETED gadgets.example.com',
    ])
    await rejects(server.api.list(GADGETS), unknownKind)
    await rejects(readCrd(server), isNotFound)
  })

  test('waits for the finalizers of its objects, and lets no new ones in', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd())
    await server.api.create(GADGETS, gadget('held', {}, { finalizers: ['example.com/x'] }))
    await server.api.delete(CRDS, { name: 'gadgets.example.com' })
    await server.settled()
    ok((await server.api.get(GADGETS, at('held'))).metadata.deletionTimestamp)
    await rejects(
      server.api.create(GADGETS, gadget('late')),
      isRefusal('MethodNotAllowed', /create not allowed while custom resource definition is terminating/),
    )
    await server.api.patch(GADGETS, at('held'), { type: 'merge', value: { metadata: { finalizers: null } } })
    await server.settled()
    await rejects(readCrd(server), isNotFound)
  })

  test('takes objects that no served version shows', async () => {
    await using server = await openServerUnderTest()
    await server.api.create(CRDS, gadgetCrd())
    await server.api.create(GADGETS, gadget('hidden'))
    await server.api.patch(
      CRDS,
      { name: 'gadgets.example.com' },
      { type: 'json', operations: [{ op: 'replace', path: '/spec/versions/0/served', value: false }] },
    )
    await server.api.delete(CRDS, { name: 'gadgets.example.com' })
    await server.settled()
    await rejects(readCrd(server), isNotFound)
    deepEqual(server.core.parts.store.visible.list('example.com/gadgets'), [])
  })

  test('goes on after a restart in the middle', async () => {
    const backend = createSimulatedBackend()
    const first = await openServerUnderTest({ backend })
    await first.api.create(CRDS, gadgetCrd())
    await first.api.create(GADGETS, gadget('g'))
    await first.api.delete(CRDS, { name: 'gadgets.example.com' })
    await first.close()
    await using server = await openServerUnderTest({ backend })
    await server.settled()
    await rejects(readCrd(server), isNotFound)
    deepEqual(server.core.parts.store.visible.list('example.com/gadgets'), [])
  })

  test('leaves room for a new one, which has nothing of the old', async () => {
    await using server = await openServerUnderTest()
    for (const size of [1, 2]) {
      await server.api.create(CRDS, gadgetCrd())
      deepEqual((await server.api.list(GADGETS)).items, [])
      equal((await server.api.create(GADGETS, gadget('g', { size }))).spec?.['size'], size)
      using watch = recordWatch((signal) => server.api.watch(GADGETS, { signal }))
      await server.settled()
      deepEqual(watch.texts(), ['ADDED g'])
      await server.api.delete(CRDS, { name: 'gadgets.example.com' })
      await server.settled()
    }
  })
})
