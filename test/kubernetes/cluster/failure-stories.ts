import { deepEqual, equal, ok } from 'node:assert/strict'
import { PODS } from '../../../src/api/kinds/pod.ts'
import { POD_LIMIT } from './release.ts'
import { claimRef, untilEvent } from './story-helpers.ts'
import { named } from './story-objects.ts'
import type { Tell } from './story-helpers.ts'

const ENOUGH_PODS = 50

/** Processes that are killed, much at once, and a second node. */
export function tellFailureStories(tell: Tell): void {
  for (const [what, words] of [
    ['our sidecars', ['holdfast', 'sidecar']],
    ["the driver's controller part", ['shared-driver.ts', '--controller']],
    ["the driver's node part", ['shared-driver.ts', '--node']],
  ] as const) {
    tell(`kill -9 of ${what} loses nothing: the pod starts, and its data is there`, async (stage) => {
      const name = `killed-${words.at(-1)?.replaceAll('-', '')}`
      await stage.createClaim(name)
      await stage.createPod(name, 'echo kept > /data/file; sync; sleep 10000', { claim: name })
      ok((await stage.signal('SIGKILL', ...words)) > 0, 'there was something to kill')
      await stage.untilRunning(name)
      await stage.deletePod(name)
      equal(await stage.runPod(`${name}-reader`, 'cat /data/file > /result', { claim: name }), 'kept\n')
      await stage.api.delete(...claimRef(name))
    })
  }

  tell('kill -9 of the kubelet: the pod keeps its volume, and is cleaned up after the restart', async (stage) => {
    await stage.createClaim('lasting')
    await stage.createPod('lasting', 'echo kept > /data/file; sync; sleep 10000', { claim: 'lasting' })
    await stage.untilRunning('lasting')
    await stage.killKubelet('node-1')
    await stage.api.delete(PODS, named('lasting'))
    await stage.startKubelet('node-1')
    await stage.until(PODS, named('lasting'), (pod) => pod === undefined, POD_LIMIT)
    equal(await stage.runPod('after-restart', 'cat /data/file > /result', { claim: 'lasting' }), 'kept\n')
    await stage.api.delete(...claimRef('lasting'))
  })

  tell(`${ENOUGH_PODS} pods at once get their volumes, and all of them go away again`, async (stage) => {
    const names = Array.from({ length: ENOUGH_PODS }, (_, index) => `many-${index}`)
    await Promise.all(names.map((name) => stage.createClaim(name)))
    const results = await Promise.all(
      names.map((name) => stage.runPod(name, `echo ${name} > /data/f; cat /data/f > /result`, { claim: name })),
    )
    deepEqual(
      results,
      names.map((name) => `${name}\n`),
    )
    await Promise.all(names.map((name) => stage.api.delete(...claimRef(name))))
    await Promise.all(names.map((name) => stage.untilGone(...claimRef(name))))
  })

  tell('a second node: a volume that is in use is refused there, and moves with its pod', async (stage) => {
    await stage.addNode('node-2')
    await stage.release.untilRegistered('node-2')
    await stage.createClaim('moving')
    await stage.createPod('here', 'echo moved > /data/file; sync; sleep 10000', {
      claim: 'moving',
      spec: { nodeName: 'node-1' },
    })
    await stage.untilRunning('here')
    await stage.createPod('there', 'cat /data/file > /result', { claim: 'moving', spec: { nodeName: 'node-2' } })
    await untilEvent(stage, 'there', 'FailedAttachVolume', /Volume is already used by pod\(s\) here/)
    await stage.deletePod('here')
    const ended = await stage.until(PODS, named('there'), (pod) => pod?.status?.phase === 'Succeeded', POD_LIMIT)
    equal(ended?.status?.containerStatuses?.[0]?.state?.terminated?.message, 'moved\n')
    await stage.deletePod('there')
    await stage.api.delete(...claimRef('moving'))
  })
}
