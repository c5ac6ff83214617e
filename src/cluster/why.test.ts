import { equal, match, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import { VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import { createClaim, createPod, NAMESPACE, startClusterUnderTest } from './testing/describe-cluster.ts'
import { why } from './why.ts'

const DATA = { namespace: NAMESPACE, name: 'data' }
const WEB = { namespace: NAMESPACE, name: 'web' }

describe('why', () => {
  test('explains a pod, its claim and the class that does not exist', async (context) => {
    const { api, advance } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data', { storageClassName: 'nope' })
    await createPod(api, 'web', 'data')
    await advance(0)
    const { object, isReady, cause, sentence } = await why(api, 'pod/default/web')
    equal(`${object.kind} ${object.namespace}/${object.name}`, 'Pod default/web')
    equal(isReady, false)
    equal(cause?.waitsFor?.name, 'nope')
    match(sentence, /^Pod web .*nope/)
    // Without a namespace it is the default one.
    equal((await why(api, 'pod/web')).sentence, sentence)
  })
  test('rejects an object that does not exist, and a text that names none', async (context) => {
    const { api } = await startClusterUnderTest(context, {})
    await rejects(why(api, 'pvc/default/data'), /^Error: pvc\/default\/data does not exist$/)
    await rejects(why(api, 'pod/a/b/c'), /is not one object/)
    await rejects(why(api, 'pod/default/'), /the name is missing/)
    await rejects(why(api, 'secret/word'), /unknown kind "secret"/)
  })
})

describe('a wait that times out', () => {
  test('for an object names the missing class', async (context) => {
    const { api, untilObject } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data', { storageClassName: 'nope' })
    const bound = untilObject(PERSISTENT_VOLUME_CLAIMS, DATA, (claim) => claim?.status?.phase === 'Bound')
    await rejects(
      bound,
      /^Error: timed out after 60 s waiting for: the condition on PersistentVolumeClaim\/default\/data\nClaim data .*nope/,
    )
  })
  test('for a claim that is to grow names what its size is waiting for', async (context) => {
    const { api, until, untilObject } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await until('the pod runs', async () => (await api.get(PODS, WEB)).status?.phase === 'Running')
    const value = { spec: { resources: { requests: { storage: '1Ei' } } } }
    await api.patch(PERSISTENT_VOLUME_CLAIMS, DATA, { type: 'merge', value })
    await rejects(
      untilObject(PERSISTENT_VOLUME_CLAIMS, DATA, (claim) => claim?.status?.capacity?.['storage'] === '1Ei'),
      /\nClaim data is waiting for the resizer of hostpath\.holdfast\.dev: .*OutOfRange.* Request a smaller size/,
    )
  })
  test('for a snapshot names the class that does not exist, and so does one for anything else', async (context) => {
    const { api, until, untilObject } = await startClusterUnderTest(context, {})
    const ref = { namespace: NAMESPACE, name: 'monday' }
    await api.create(VOLUME_SNAPSHOTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: ref,
      spec: { source: { persistentVolumeClaimName: 'data' }, volumeSnapshotClassName: 'nope' },
    })
    const sentence = /\nVolumeSnapshot monday is waiting for VolumeSnapshotClass nope: /
    await rejects(
      untilObject(VOLUME_SNAPSHOTS, ref, (snapshot) => snapshot?.status?.readyToUse === true),
      sentence,
    )
    await rejects(
      until('nothing', () => false, { limitMs: 1000 }),
      sentence,
    )
  })
  test('for anything else names what every pod and claim is waiting for, each cause once', async (context) => {
    const { api, until } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data', { storageClassName: 'nope' })
    await createPod(api, 'web', 'data')
    await createClaim(api, 'other', { storageClassName: 'none' })
    await rejects(
      until('nothing', () => false, { limitMs: 1000 }),
      ({ message }: Error) => {
        const [first, ...sentences] = message.split('\n')
        equal(first, 'timed out after 1 s waiting for: nothing')
        equal(sentences.length, 2)
        match(sentences[0] ?? '', /^Pod web .*nope/)
        match(sentences[1] ?? '', /^Claim other .*none/)
        return true
      },
    )
  })
  test('says that the object does not exist, and nothing about a kind that is not explained', async (context) => {
    const { untilObject } = await startClusterUnderTest(context, {})
    await rejects(
      untilObject(PODS, WEB, (pod) => pod !== undefined, { limitMs: 1000 }),
      /Pod\/default\/web\nPod\/default\/web does not exist\.$/,
    )
    await rejects(
      untilObject(CONFIG_MAPS, { namespace: NAMESPACE, name: 'nope' }, (found) => found !== undefined, {
        limitMs: 1000,
      }),
      /waiting for: the condition on ConfigMap\/default\/nope$/,
    )
  })
  test('ends early with the reason of the signal', async (context) => {
    const { untilObject } = await startClusterUnderTest(context, {})
    const signal = AbortSignal.abort(new Error('enough'))
    await rejects(
      untilObject(PODS, WEB, () => false, { signal }),
      /^Error: enough$/,
    )
  })
})

test('untilObject resolves with the object as soon as the condition holds', async (context) => {
  const { api, untilObject } = await startClusterUnderTest(context, {})
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  const pod = await untilObject(PODS, WEB, (now) => now?.status?.phase === 'Running')
  equal(pod?.spec.nodeName, 'node-1')
  await api.delete(PODS, WEB)
  equal(await untilObject(PODS, WEB, (now) => now === undefined), undefined)
})
