import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { KubeObject } from '../../api/object.ts'
import { createNodeGraph } from './node-graph.ts'
import type { NodeGraph, RelatedKind } from './node-graph.ts'
import { openStoreUnderTest, podUnderTest } from './testing/store-under-test.ts'

const NODES = ['n1', 'n2']
const NAMES = ['x', 'y', 'z']

const pod = fc
  .record({
    name: fc.constantFrom(...NAMES),
    node: fc.constantFrom('', ...NODES),
    uid: fc.constantFrom('u1', 'u2'),
    claims: fc.subarray(NAMES),
    secrets: fc.subarray(NAMES),
  })
  .map(({ name, node, uid, claims, secrets }) =>
    podUnderTest(
      name,
      node,
      {
        volumes: [
          ...claims.map((claim) => ({ name: `c-${claim}`, persistentVolumeClaim: { claimName: claim } })),
          ...secrets.map((secret) => ({ name: `s-${secret}`, secret: { secretName: secret } })),
        ],
      },
      // The references of a pod never change for the same uid.
      { uid: `${uid}-${node}-${claims.join('')}-${secrets.join('')}` },
    ),
  )
const volume = fc
  .record({
    name: fc.constantFrom(...NAMES),
    claim: fc.constantFrom(undefined, ...NAMES),
    stage: fc.constantFrom(undefined, ...NAMES),
    publish: fc.constantFrom(undefined, ...NAMES),
  })
  .map(({ name, claim, stage, publish }): PersistentVolume => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      ...(claim ? { claimRef: { namespace: 'apps', name: claim } } : {}),
      csi: {
        driver: 'd',
        volumeHandle: name,
        ...(stage ? { nodeStageSecretRef: { namespace: 'apps', name: stage } } : {}),
        ...(publish ? { nodePublishSecretRef: { namespace: 'apps', name: publish } } : {}),
      },
    },
  }))
const step = fc.record({ remove: fc.boolean(), object: fc.oneof<fc.Arbitrary<KubeObject>[]>(pod, volume) })

const KINDS: [RelatedKind, string][] = [
  ['secret', 'apps'],
  ['claim', 'apps'],
  ['volume', ''],
]
const relations = (graph: NodeGraph): string[] =>
  KINDS.flatMap(([kind, namespace]) =>
    NAMES.flatMap((name) =>
      NODES.filter((node) => graph.isRelated(node, kind, namespace, name)).map((node) => `${node} ${kind} ${name}`),
    ),
  )

/** The same, computed from each pod to the objects it leads to. */
function walk(objects: KubeObject[]): string[] {
  const found = new Set<string>()
  const volumes = objects.filter((object): object is PersistentVolume => object.kind === 'PersistentVolume')
  for (const { spec } of objects.filter((object): object is Pod => object.kind === 'Pod')) {
    const { nodeName: node } = spec
    if (!node) continue
    for (const { secret, persistentVolumeClaim } of spec.volumes ?? []) {
      if (secret) found.add(`${node} secret ${secret.secretName}`)
      if (!persistentVolumeClaim) continue
      found.add(`${node} claim ${persistentVolumeClaim.claimName}`)
      for (const {
        metadata,
        spec: { claimRef, csi },
      } of volumes.filter((one) => one.spec.claimRef?.name === persistentVolumeClaim.claimName)) {
        if (claimRef) found.add(`${node} volume ${metadata.name}`)
        for (const ref of [csi?.nodeStageSecretRef, csi?.nodePublishSecretRef])
          if (ref) found.add(`${node} secret ${ref.name}`)
      }
    }
  }
  return [...found]
}

test('whatever comes and goes in whatever order, the graph knows what a walk over all objects would find', async () => {
  let relatedAtAll = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const store = await openStoreUnderTest()
      const graph = createNodeGraph(store.visible)
      store.onChange(graph.onChange)
      for (const { remove, object } of steps) await (remove ? store.remove(object) : store.put(object))
      const objects = ['pods', 'persistentvolumes'].flatMap((storage) =>
        store.visible.list(storage).map((stored) => stored.object),
      )
      const expected = walk(objects).sort()
      relatedAtAll += expected.length
      deepEqual(relations(graph).sort(), expected)
      deepEqual(relations(createNodeGraph(store.visible)).sort(), expected)
    }),
  )
  ok(relatedAtAll > 100)
})
