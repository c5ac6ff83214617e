import { equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Api } from '../api/api.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { NODES } from '../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import { BIND_COMPLETED } from '../storage/names.ts'
import { claimOf, createOn } from '../testing/objects.ts'
import type { SimulatedCluster } from './start-simulated-cluster.ts'
import { createClaim, createPod, deletePod, getClaim, getPod, isGone, NAMESPACE } from './testing/describe-cluster.ts'
import { startClusterUnderTest } from './testing/describe-cluster.ts'
import { why } from './why.ts'

const DATA = { namespace: NAMESPACE, name: 'data' }
const WEB = { namespace: NAMESPACE, name: 'web' }

/** The JSON of the `kubectl patch` in a sentence. */
function patchIn(sentence: string): object {
  const [, json = ''] = /kubectl patch pv \S+ -p '(.+?)'/.exec(sentence) ?? []
  ok(json !== '', sentence)
  return JSON.parse(json) as object
}

/** A volume whose claim `data` has been deleted. */
async function retainVolume(api: Api, until: SimulatedCluster['until']): Promise<string> {
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  const { volumeName = '' } = (await getClaim(api, 'data')).spec
  const retain = { spec: { persistentVolumeReclaimPolicy: 'Retain' } }
  await api.patch(PERSISTENT_VOLUMES, { name: volumeName }, { type: 'merge', value: retain })
  await deletePod(api, 'web')
  await until('the pod is gone', () => isGone(api.get(PODS, WEB)))
  await api.delete(PERSISTENT_VOLUME_CLAIMS, DATA)
  const phaseOf = async () => (await api.get(PERSISTENT_VOLUMES, { name: volumeName })).status?.phase
  await until('the volume is released', async () => (await phaseOf()) === 'Released')
  return volumeName
}

describe('what `why` advises', () => {
  test('binds a retained volume to the claim that was created again', async (context) => {
    const { api, until } = await startClusterUnderTest(context, {})
    const volumeName = await retainVolume(api, until)
    await createClaim(api, 'data', { volumeName, storageClassName: 'standard' })
    await createPod(api, 'web', 'data')
    const { sentence } = await why(api, 'pvc/data')
    match(sentence, /It was retained for an earlier claim default\/data/)
    await api.patch(PERSISTENT_VOLUMES, { name: volumeName }, { type: 'strategic', value: patchIn(sentence) })
    await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
    equal((await getClaim(api, 'data')).spec.volumeName, volumeName)
  })

  test('binds it to a claim that was restored together with its annotations', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, {})
    const volumeName = await retainVolume(api, until)
    // Creation times have whole seconds: the claim has to be visibly younger than the volume.
    await advance(2000)
    const restored = claimOf({
      name: 'data',
      size: '1Mi',
      className: 'standard',
      metadata: { annotations: { [BIND_COMPLETED]: 'yes' } },
      spec: { volumeName },
    })
    await createOn(api, PERSISTENT_VOLUME_CLAIMS, restored)
    await until('the claim is lost', async () => (await getClaim(api, 'data')).status?.phase === 'Lost')
    const { sentence } = await why(api, 'pvc/data')
    match(sentence, /To bind it to this claim with the data of the earlier one, run: /)
    await api.patch(PERSISTENT_VOLUMES, { name: volumeName }, { type: 'strategic', value: patchIn(sentence) })
    await until('the claim is bound', async () => (await getClaim(api, 'data')).status?.phase === 'Bound')
  })

  test('uncordons the only node that has the volume', async (context) => {
    const { api, until, advance } = await startClusterUnderTest(context, { nodes: 2, zones: ['a', 'b'] })
    await createClaim(api, 'data')
    await createPod(api, 'web', 'data')
    await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
    const { nodeName = '' } = (await getPod(api, 'web')).spec
    await deletePod(api, 'web')
    await until('the pod is gone', () => isGone(api.get(PODS, WEB)))
    const cordon = (unschedulable: boolean) =>
      api.patch(NODES, { name: nodeName }, { type: 'merge', value: { spec: { unschedulable } } })
    await cordon(true)
    await createPod(api, 'web', 'data')
    await advance(1000)
    const { sentence } = await why(api, 'pod/web')
    ok(sentence.endsWith(`Uncordon ${nodeName}: kubectl uncordon ${nodeName}.`), sentence)
    await cordon(false)
    await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
  })

  test('creates the ConfigMap without which a pod only seems to run', async (context) => {
    const { api, until } = await startClusterUnderTest(context, {})
    await createClaim(api, 'data')
    const volumes = [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'settings', configMap: { name: 'settings' } },
    ]
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }))
    await createPod(api, 'web', 'data', { volumes, containers: [{ name: 'app', image: 'app', volumeMounts }] })
    await until('the pod runs', async () => (await getPod(api, 'web')).status?.phase === 'Running')
    match((await why(api, 'pod/web')).sentence, /^Pod web is waiting for ConfigMap settings: .* Create it\.$/)
    const metadata = { namespace: NAMESPACE, name: 'settings' }
    await api.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata })
    equal((await why(api, 'pod/web')).sentence, 'Pod web is running, and its volumes are mounted.')
  })
})
