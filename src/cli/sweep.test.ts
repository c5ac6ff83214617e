import { deepEqual, equal, match } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import { createClaim, createPod } from '../cluster/testing/describe-cluster.ts'
import { openClusterDirectory, startUp } from '../cluster/testing/describe-up.ts'
import { AccessMode, connectDriver } from '../csi/index.ts'
import { startCommand } from './testing/cli-under-test.ts'

const CAPABILITY = {
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
  accessType: { $case: 'mount', value: {} },
} as const

test('holdfast sweep finds what only the driver has, and nothing else', { timeout: 60_000 }, async (context) => {
  const directory = await openClusterDirectory(context)
  const { api, until } = await startUp(directory)
  const endpoint = `unix://${directory}/node-1/plugins/hostpath.holdfast.dev/csi.sock`
  const sweep = async (...words: string[]) => {
    const command = startCommand(context, ['sweep', endpoint, '--settle=0s', ...words], {
      env: { KUBECONFIG: join(directory, 'kubeconfig') },
    })
    return { code: await command.ended, out: command.out(), err: command.err() }
  }
  await createClaim(api, 'data')
  await createPod(api, 'web', 'data')
  await until(({ pods }) => pods.some(({ status }) => status?.phase === 'Running'))
  deepEqual(await sweep(), {
    code: 0,
    out: 'Driver hostpath.holdfast.dev and the cluster agree: nothing is left over.\n',
    err: '',
  })

  const { driver, connection } = connectDriver({ endpoint, clock: createSystemClock() })
  context.after(() => connection.close())
  const request = { name: 'stray', capacityRange: { requiredBytes: 2n ** 30n }, volumeCapabilities: [CAPABILITY] }
  const { volume } = await driver.createVolume(request)
  const snapshot = await driver.createSnapshot({ name: 'stray-snapshot', sourceVolumeId: volume?.volumeId ?? '' })
  const found = await sweep('--json')
  equal(found.code, 3)
  const { leaks } = JSON.parse(found.out) as { leaks: { kind: string; handle: string }[] }
  deepEqual(
    leaks.map(({ kind, handle }) => [kind, handle]),
    [
      ['volume-without-object', volume?.volumeId],
      ['snapshot-without-object', snapshot.snapshot?.snapshotId],
    ],
  )
  const text = await sweep()
  match(text.out, /^Volumes of the driver without a PersistentVolume: 1\n {2}\S+ {2}1Gi\n\n/)
  match(text.out, /A driver may serve several clusters/)

  const dead = startCommand(context, ['sweep', '/does/not/exist.sock'], {
    env: { KUBECONFIG: join(directory, 'kubeconfig') },
  })
  equal(await dead.ended, 1)
  match(dead.err(), /exist\.sock/)
})
