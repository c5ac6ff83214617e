import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { createClaim } from '../cluster/testing/describe-cluster.ts'
import { openClusterDirectory } from '../cluster/testing/describe-up.ts'
import { isCsiError } from '../csi/index.ts'
import { connectTest } from '../csi/testing/start-test-driver.ts'
import type { RecordedCall } from '../proxy/index.ts'
import { startCommand } from './testing/cli-under-test.ts'
import { connectTo, untilObject } from './testing/driver-under-test.ts'

const LIMIT = { timeout: 60_000 }

const recordingOf = async (file: string): Promise<RecordedCall[]> =>
  (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line.includes('"rpc"'))
    .map((line) => JSON.parse(line) as RecordedCall)

test('holdfast proxy applies the faults of a file, records the calls, and counts', LIMIT, async (context) => {
  const directory = await openClusterDirectory(context)
  const [socket, listen] = [join(directory, 'csi.sock'), join(directory, 'proxy.sock')]
  const faults = join(directory, 'faults.yaml')
  const record = join(directory, 'calls.jsonl')
  await writeFile(faults, 'seed: 4\nfaults:\n  - {name: busy, rpc: Probe, times: 1, error: UNAVAILABLE}\n')
  const driver = startCommand(context, ['driver', `--endpoint=${socket}`, '--node-id=n', `--data=${directory}/data`])
  await driver.untilOut(/^ready/m)
  const words = [`--listen=${listen}`, `--to=${socket}`, `--faults=${faults}`, `--record=${record}`]
  const proxy = startCommand(context, ['proxy', ...words])
  await proxy.untilOut(/^ready unix:\/\/.*proxy\.sock .*faults=1 seed=4 record=/m)
  const { driver: client } = connectTest(context, listen)
  await client.probe({}).then(
    () => ok(false),
    (error: unknown) => ok(isCsiError(error, 'UNAVAILABLE')),
  )
  equal((await client.probe({})).ready, true)
  equal(await proxy.stop(), 0)
  match(proxy.out(), /busy: applied 1 times/)
  equal((await stat(record)).mode & 0o777, 0o600)
  deepEqual(
    (await recordingOf(record)).map(({ reply, fault }) => [reply?.code, fault?.label, fault?.reply?.code]),
    [
      [undefined, 'busy', 'UNAVAILABLE'],
      ['OK', undefined, undefined],
    ],
  )
})

test('holdfast proxy names the line of a mistake in the faults file', LIMIT, async (context) => {
  const directory = await openClusterDirectory(context)
  const faults = join(directory, 'faults.yaml')
  await writeFile(faults, 'faults:\n  - rpc: CreateVolum\n    delay: 1s\n')
  const words = ['--listen=/tmp/a.sock', '--to=/tmp/b.sock', `--faults=${faults}`]
  const proxy = startCommand(context, ['proxy', ...words])
  equal(await proxy.ended, 2)
  match(
    proxy.err(),
    /faults\.yaml:2: faults\[0\]\.rpc: "CreateVolum" is not a call of CSI; did you mean CreateVolume\?/,
  )
})

test(
  'holdfast up --faults puts a proxy before the driver, and its claims survive lost replies',
  LIMIT,
  async (context) => {
    const directory = await openClusterDirectory(context)
    const faults = join(directory, 'faults.yaml')
    const record = join(directory, 'calls.jsonl')
    await writeFile(
      faults,
      'faults:\n  - {rpc: CreateVolume, times: 1, loseReply: UNAVAILABLE}\n  - {rpc: CreateVolume, times: 1, error: ABORTED}\n',
    )
    const words = ['up', '--in-memory', `--data=${join(directory, 'data')}`, `--faults=${faults}`, `--record=${record}`]
    const up = startCommand(context, words)
    await up.untilOut(/^ready/m)
    match(up.out(), /proxy of hostpath\.holdfast\.dev on node-1 +unix:\/\/.*flt\.sock/)
    match(up.out(), /2 faults are applied to driver calls, seed \d+/)
    const api = await connectTo(context, join(directory, 'data/kubeconfig'))
    await createClaim(api, 'data')
    await untilObject(api, PERSISTENT_VOLUME_CLAIMS, ({ status }) => status?.phase === 'Bound')
    equal(await up.stop(), 0)
    const creates = (await recordingOf(record)).filter(({ rpc }) => rpc.endsWith('/CreateVolume'))
    deepEqual(
      creates.map(({ reply, fault }) => [reply?.code, fault?.reply?.code]),
      [
        ['OK', 'UNAVAILABLE'],
        [undefined, 'ABORTED'],
        ['OK', undefined],
      ],
    )
    // One volume, whatever the cluster was told.
    equal(new Set(creates.flatMap(({ request }) => [request?.['name']])).size, 1)
  },
)
