import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Driver } from '../../csi/index.ts'
import { asBlock, asMount, fails, makeVolume, openDriver, stagingOf } from './testing/hostpath-under-test.ts'
import type { Made } from './testing/hostpath-under-test.ts'

const TWO_NODES = { attach: true, nodes: [{ id: 'node-1' }, { id: 'node-2' }] }
const nodesOf = async (driver: Driver, { volumeId }: Made): Promise<string[] | undefined> =>
  (await driver.controllerGetVolume({ volumeId })).status?.publishedNodeIds

describe('ControllerPublishVolume', () => {
  test('attaches once, however often it is asked, and survives a restart', async () => {
    const { driver, machine } = await openDriver(TWO_NODES)
    const made = await makeVolume(driver, 'one')
    const answer = await driver.controllerPublishVolume({ ...made, nodeId: 'node-2' })
    deepEqual(answer, { publishContext: { readonly: 'false' } })
    deepEqual(await driver.controllerPublishVolume({ ...made, nodeId: 'node-2' }), answer)
    const again = await openDriver({ ...TWO_NODES, machine })
    deepEqual(await nodesOf(again.driver, made), ['node-2'])
  })

  test('does not know volumes and nodes that do not exist', async () => {
    const { driver } = await openDriver(TWO_NODES)
    const made = await makeVolume(driver, 'one')
    await fails(
      driver.controllerPublishVolume({ ...made, volumeId: 'none', nodeId: 'node-1' }),
      'NOT_FOUND',
      /volume none/,
    )
    for (const nodeId of ['node-3', 'constructor', '__proto__']) {
      await fails(driver.controllerPublishVolume({ ...made, nodeId }), 'NOT_FOUND', /node .* is unknown/)
    }
    await fails(driver.controllerPublishVolume(made), 'INVALID_ARGUMENT', /node_id/)
  })

  test('refuses to attach with parameters that differ from the first call', async () => {
    const { driver } = await openDriver(TWO_NODES)
    const made = await makeVolume(driver, 'one')
    await driver.controllerPublishVolume({ ...made, nodeId: 'node-1' })
    await fails(driver.controllerPublishVolume({ ...made, nodeId: 'node-1', readonly: true }), 'ALREADY_EXISTS')
    const other = asMount('SINGLE_NODE_MULTI_WRITER')
    await fails(
      driver.controllerPublishVolume({ ...made, volumeCapability: other, nodeId: 'node-1' }),
      'ALREADY_EXISTS',
    )
    await fails(
      driver.controllerPublishVolume({ ...made, volumeCapability: asBlock(), nodeId: 'node-1' }),
      'INVALID_ARGUMENT',
      /file system/,
    )
  })

  test('refuses a second node for a volume of one node, and names the first', async () => {
    const { driver } = await openDriver(TWO_NODES)
    const made = await makeVolume(driver, 'one')
    await driver.controllerPublishVolume({ ...made, nodeId: 'node-1' })
    await fails(
      driver.controllerPublishVolume({ ...made, nodeId: 'node-2' }),
      'FAILED_PRECONDITION',
      /published to node node-1/,
    )
    await driver.controllerUnpublishVolume({ ...made, nodeId: 'node-1' })
    await driver.controllerPublishVolume({ ...made, nodeId: 'node-2' })
  })

  type Attach = { mode: Parameters<typeof asMount>[0]; readonly?: boolean }
  const pairs: [what: string, first: Attach, second: Attach, allowed: boolean][] = [
    ['readers everywhere', { mode: 'MULTI_NODE_READER_ONLY' }, { mode: 'MULTI_NODE_READER_ONLY' }, true],
    ['writers everywhere', { mode: 'MULTI_NODE_MULTI_WRITER' }, { mode: 'MULTI_NODE_MULTI_WRITER' }, true],
    [
      'a writer beside a reader',
      { mode: 'MULTI_NODE_SINGLE_WRITER' },
      { mode: 'MULTI_NODE_SINGLE_WRITER', readonly: true },
      true,
    ],
    ['a second single writer', { mode: 'MULTI_NODE_SINGLE_WRITER' }, { mode: 'MULTI_NODE_SINGLE_WRITER' }, false],
    [
      'one of many writers beside a single one',
      { mode: 'MULTI_NODE_SINGLE_WRITER' },
      { mode: 'MULTI_NODE_MULTI_WRITER' },
      false,
    ],
    ['a reader of one node only', { mode: 'MULTI_NODE_READER_ONLY' }, { mode: 'SINGLE_NODE_READER_ONLY' }, false],
  ]
  for (const [what, first, second, allowed] of pairs) {
    test(`${allowed ? 'allows' : 'refuses'} ${what}`, async () => {
      const { driver } = await openDriver(TWO_NODES)
      const { volumeId } = await makeVolume(driver, 'one')
      const attach = ({ mode, readonly = false }: Attach, nodeId: string) =>
        driver.controllerPublishVolume({ volumeId, nodeId, volumeCapability: asMount(mode), readonly })
      await attach(first, 'node-1')
      if (allowed) await attach(second, 'node-2')
      else await fails(attach(second, 'node-2'), 'FAILED_PRECONDITION', /node-1/)
    })
  }

  test('keeps the limit of a node, also when several calls come at once', async () => {
    const { driver } = await openDriver({ attach: true, nodes: [{ id: 'node-1', attachLimit: 2 }, { id: 'node-2' }] })
    const made = await Promise.all(['a', 'b', 'c', 'd'].map((name) => makeVolume(driver, name)))
    const results = await Promise.allSettled(
      made.map((volume) => driver.controllerPublishVolume({ ...volume, nodeId: 'node-1' })),
    )
    deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
    )
    const [first, , third] = made
    ok(first && third)
    await fails(
      driver.controllerPublishVolume({ ...third, nodeId: 'node-1' }),
      'RESOURCE_EXHAUSTED',
      /its limit of 2 attached volumes/,
    )
    // An attached volume takes no additional slot, and the other node has no limit.
    await driver.controllerPublishVolume({ ...first, nodeId: 'node-1' })
    await driver.controllerPublishVolume({ ...third, nodeId: 'node-2' })
    await driver.controllerUnpublishVolume({ ...first, nodeId: 'node-1' })
    equal((await nodesOf(driver, first))?.length, 0)
    equal((await driver.nodeGetInfo({})).maxVolumesPerNode, 2n)
  })

  test('refuses a node out of reach of the volume', async () => {
    const nodes = [
      { id: 'node-1', topology: { zone: 'a' } },
      { id: 'node-2', topology: { zone: 'b' } },
    ]
    const { driver } = await openDriver({ attach: true, nodes })
    const made = await makeVolume(driver, 'one')
    await fails(
      driver.controllerPublishVolume({ ...made, nodeId: 'node-2' }),
      'FAILED_PRECONDITION',
      /not accessible from node node-2/,
    )
    await driver.controllerPublishVolume({ ...made, nodeId: 'node-1' })
  })

  test('works for a node with an odd name', async () => {
    const { driver } = await openDriver({ attach: true, nodes: [{ id: 'constructor' }, { id: '..' }] })
    const [one, two] = [await makeVolume(driver, 'one'), await makeVolume(driver, 'two')]
    await driver.controllerPublishVolume({ ...one, nodeId: 'constructor' })
    await driver.controllerPublishVolume({ ...two, nodeId: '..' })
    deepEqual([await nodesOf(driver, one), await nodesOf(driver, two)], [['constructor'], ['..']])
  })
})

describe('ControllerUnpublishVolume', () => {
  test('detaches from one node, or from all, and may be repeated', async () => {
    const { driver } = await openDriver(TWO_NODES)
    const made = await makeVolume(driver, 'one', asMount('MULTI_NODE_MULTI_WRITER'))
    for (const nodeId of ['node-1', 'node-2']) await driver.controllerPublishVolume({ ...made, nodeId })
    await driver.controllerUnpublishVolume({ ...made, nodeId: 'node-1' })
    await driver.controllerUnpublishVolume({ ...made, nodeId: 'node-1' })
    deepEqual(await nodesOf(driver, made), ['node-2'])
    await driver.controllerPublishVolume({ ...made, nodeId: 'node-1' })
    await driver.controllerUnpublishVolume({ volumeId: made.volumeId })
    deepEqual(await nodesOf(driver, made), [])
  })

  test('has nothing to do for a volume or node that is gone', async () => {
    const { driver } = await openDriver(TWO_NODES)
    const made = await makeVolume(driver, 'one')
    await driver.controllerUnpublishVolume({ volumeId: 'none', nodeId: 'node-1' })
    await driver.controllerUnpublishVolume({ volumeId: made.volumeId, nodeId: 'constructor' })
  })
})

test('a node can neither stage nor publish what is not attached to it', async () => {
  const { driver, machine, on } = await openDriver(TWO_NODES)
  const made = await makeVolume(driver, 'one')
  const staging = await stagingOf(machine, made)
  await fails(on('node-2').nodeStageVolume(staging), 'FAILED_PRECONDITION', /not published to node node-2/)
  await driver.controllerPublishVolume({ ...made, nodeId: 'node-2' })
  await on('node-2').nodeStageVolume(staging)
  await driver.controllerUnpublishVolume({ ...made, nodeId: 'node-2' })
  await fails(
    on('node-2').nodePublishVolume({ ...staging, targetPath: '/pods/one' }),
    'FAILED_PRECONDITION',
    /not published to node/,
  )
  await on('node-2').nodeUnstageVolume(staging)
})

test('what was attached read-only is published read-only', async () => {
  const { driver, machine } = await openDriver(TWO_NODES)
  const made = await makeVolume(driver, 'one')
  deepEqual(await driver.controllerPublishVolume({ ...made, nodeId: 'node-1', readonly: true }), {
    publishContext: { readonly: 'true' },
  })
  const staging = await stagingOf(machine, made)
  await driver.nodeStageVolume(staging)
  await driver.nodePublishVolume({ ...staging, targetPath: '/pods/one' })
  equal((await machine.mounts.list()).find(({ target }) => target === '/pods/one')?.readOnly, true)
})

test('without attaching, the calls for it are not there', async () => {
  const { driver } = await openDriver()
  const made = await makeVolume(driver, 'one')
  await fails(driver.controllerPublishVolume({ ...made, nodeId: 'node-1' }), 'UNIMPLEMENTED')
})
