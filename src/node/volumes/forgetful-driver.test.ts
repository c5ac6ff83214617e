import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import type { Driver } from '../../csi/index.ts'
import { bindVolume, createPod, deletePod, openVolumes } from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'

for (const call of ['nodeUnpublishVolume', 'nodeUnstageVolume'] as const) {
  test(`a driver that was killed and has forgotten a mount, so that ${call} does nothing and succeeds, leaves none behind`, async (context) => {
    const node = await openVolumes(context)
    const { api, ledger, store, machine, clock } = node
    const driver = ledger.driver(clock)
    let asked = 0
    const forgetful: Driver = { ...driver, [call]: () => Promise.resolve((asked++, {})) }
    store.register(DRIVER, forgetful)
    await bindVolume(api, 'a')
    await createPod(api, 'a')
    await node.settled()
    equal((await node.pod('a'))?.status?.phase, 'Running')
    await deletePod(api, 'a')
    await node.settled()
    equal(asked, 1, 'it may only be late')
    equal(
      (await machine.mounts.list()).some(({ target }) => target.includes('/kubernetes.io')),
      true,
    )
    // The ledger is not told of what the agent does itself.
    ledger.published.clear()
    await node.advance(60_000)
    equal(await node.pod('a'), undefined)
    deepEqual([asked, (await machine.mounts.list()).filter(({ target }) => target.includes('/kubernetes.io'))], [2, []])
    match(node.logged.join(''), /unmounting it without the driver/)
  })
}
