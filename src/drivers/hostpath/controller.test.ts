import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { removeTree } from '../../base/host/index.ts'
import type { Driver } from '../../csi/index.ts'
import {
  asBlock,
  asMount,
  bytes,
  fails,
  fromSnapshot,
  fromVolume,
  GIB,
  makeVolume,
  MIB,
  openDriver,
  readText,
  releaseVolume,
  ROOT,
  startMachine,
  useVolume,
} from './testing/hostpath-under-test.ts'

type CreateRequest = Parameters<Driver['createVolume']>[0]

const ZONE = 'topology.example.org/zone'
const inZone = (zone: string) => ({ segments: { [ZONE]: zone } })
const asked = (more: CreateRequest = {}): CreateRequest => ({ name: 'one', volumeCapabilities: [asMount()], ...more })
const listIds = async (driver: Driver): Promise<string[]> =>
  (await driver.listVolumes({})).entries.map(({ volume }) => volume?.volumeId ?? '')

describe('CreateVolume', () => {
  test('asked again, gives the same volume', async () => {
    const { driver } = await openDriver()
    const request = asked({ capacityRange: { requiredBytes: MIB, limitBytes: 2n * MIB }, parameters: { kind: 'a' } })
    const { volume } = await driver.createVolume(request)
    deepEqual((await driver.createVolume(request)).volume, volume)
    equal(volume?.capacityBytes, MIB)
    deepEqual(await listIds(driver), [volume?.volumeId])
  })

  test('finds the volume again after a restart, also once it has grown', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    await driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 3n * MIB } })
    const again = await openDriver({ machine, seed: 8 })
    const { volume } = await again.driver.createVolume(asked({ capacityRange: { requiredBytes: MIB } }))
    deepEqual([volume?.volumeId, volume?.capacityBytes], [volumeId, 3n * MIB])
  })

  const differences: [what: string, more: CreateRequest][] = [
    ['too large', { capacityRange: { requiredBytes: MIB + 1n } }],
    ['too small', { capacityRange: { limitBytes: MIB - 1n } }],
    ['another mode', { volumeCapabilities: [asBlock()] }],
    ['another parameter', { parameters: { kind: 'b' } }],
    ['one parameter more', { parameters: { kind: 'a', more: 'x' } }],
    ['no parameters', { parameters: {} }],
    ['a source', { volumeContentSource: fromVolume('some') }],
    ['another place', { accessibilityRequirements: { requisite: [inZone('b')] } }],
  ]
  for (const [what, more] of differences) {
    test(`refuses the name of an existing volume for a request that differs: ${what}`, async () => {
      const { driver } = await openDriver({
        nodes: [
          { id: 'node-1', topology: { [ZONE]: 'a' } },
          { id: 'node-2', topology: { [ZONE]: 'b' } },
        ],
      })
      const request = asked({ capacityRange: { requiredBytes: MIB }, parameters: { kind: 'a' } })
      await driver.createVolume(request)
      await fails(
        driver.createVolume({ ...request, ...more }),
        'ALREADY_EXISTS',
        /volume one already exists with a different/,
      )
      equal((await listIds(driver)).length, 1)
    })
  }

  test('refuses another source than the one a volume was made from', async () => {
    const { driver } = await openDriver()
    const [first, second] = [await makeVolume(driver, 'first'), await makeVolume(driver, 'second')]
    await driver.createVolume(asked({ volumeContentSource: fromVolume(first.volumeId) }))
    await fails(
      driver.createVolume(asked({ volumeContentSource: fromVolume(second.volumeId) })),
      'ALREADY_EXISTS',
      /content source/,
    )
    await fails(driver.createVolume(asked()), 'ALREADY_EXISTS', /content source/)
  })

  const sizes: [
    what: string,
    range: CreateRequest['capacityRange'],
    use: ReturnType<typeof asMount>,
    expected: bigint,
  ][] = [
    ['1 GiB when none is asked for', undefined, asMount(), GIB],
    ['what is required', { requiredBytes: 5000n }, asMount(), 5000n],
    ['the limit when it is below the default', { limitBytes: 3n * MIB }, asMount(), 3n * MIB],
    ['whole blocks for a device', { requiredBytes: 5000n }, asBlock(), 8192n],
    ['whole blocks below the limit for a device', { limitBytes: 9000n }, asBlock(), 8192n],
  ]
  for (const [what, capacityRange, use, expected] of sizes) {
    test(`has the size: ${what}`, async () => {
      const { driver } = await openDriver()
      const { volume } = await driver.createVolume({
        name: 'one',
        volumeCapabilities: [use],
        ...(capacityRange ? { capacityRange } : {}),
      })
      equal(volume?.capacityBytes, expected)
    })
  }

  test('refuses a size that no volume could have', async () => {
    const { driver } = await openDriver({ capacityBytes: 10n * MIB })
    await fails(driver.createVolume(asked({ capacityRange: { requiredBytes: 10n * MIB + 1n } })), 'OUT_OF_RANGE')
    await fails(
      driver.createVolume({
        name: 'b',
        volumeCapabilities: [asBlock()],
        capacityRange: { requiredBytes: 100n, limitBytes: 200n },
      }),
      'OUT_OF_RANGE',
    )
    await fails(
      driver.createVolume(asked({ capacityRange: { requiredBytes: 2n, limitBytes: 1n } })),
      'INVALID_ARGUMENT',
    )
    deepEqual(await listIds(driver), [])
  })

  test('refuses more than is left, and gives it out once something has been deleted', async () => {
    const { driver } = await openDriver({ capacityBytes: 10n * MIB })
    const { volumeId } = await makeVolume(driver, 'one', asMount(), { capacityRange: { requiredBytes: 7n * MIB } })
    await fails(
      makeVolume(driver, 'two', asMount(), { capacityRange: { requiredBytes: 4n * MIB } }),
      'RESOURCE_EXHAUSTED',
      /3145728 bytes available/,
    )
    equal((await driver.getCapacity({})).availableCapacity, 3n * MIB)
    await driver.deleteVolume({ volumeId })
    await makeVolume(driver, 'two', asMount(), { capacityRange: { requiredBytes: 10n * MIB } })
  })

  test('never promises the same bytes to two that are made at once', async () => {
    const { driver } = await openDriver({ capacityBytes: 10n * MIB })
    const wanted = ['a', 'b', 'c', 'd'].map((name) =>
      makeVolume(driver, name, asMount(), { capacityRange: { requiredBytes: 4n * MIB } }),
    )
    const results = await Promise.allSettled(wanted)
    deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
    )
    equal((await driver.getCapacity({})).availableCapacity, 2n * MIB)
  })

  test('lets one of two calls for a name wait its turn', async () => {
    const { driver } = await openDriver()
    const [first, second] = await Promise.allSettled([driver.createVolume(asked()), driver.createVolume(asked())])
    equal(first.status, 'fulfilled')
    await fails(second.status === 'rejected' ? Promise.reject(second.reason as Error) : Promise.resolve(), 'ABORTED')
    equal((await listIds(driver)).length, 1)
  })

  test('refuses what it can not make sense of', async () => {
    const { driver } = await openDriver()
    await fails(driver.createVolume({ volumeCapabilities: [asMount()] }), 'INVALID_ARGUMENT', /name/)
    await fails(driver.createVolume({ name: 'one' }), 'INVALID_ARGUMENT', /volume_capabilities/)
    await fails(
      driver.createVolume(asked({ volumeCapabilities: [asMount(), asBlock()] })),
      'INVALID_ARGUMENT',
      /either/,
    )
    await fails(
      driver.createVolume(asked({ mutableParameters: { colour: 'red' } })),
      'INVALID_ARGUMENT',
      /colour is unknown/,
    )
    await fails(driver.createVolume(asked({ volumeContentSource: fromVolume('none') })), 'NOT_FOUND')
    await fails(driver.createVolume(asked({ volumeContentSource: fromSnapshot('none') })), 'NOT_FOUND')
    deepEqual(await listIds(driver), [])
  })

  describe('with nodes in several zones that share one data directory', () => {
    const nodes = [
      { id: 'node-1', topology: { [ZONE]: 'a' } },
      { id: 'node-2', topology: { [ZONE]: 'b' } },
    ]
    const places: [what: string, requirement: CreateRequest['accessibilityRequirements'], zone: string][] = [
      ['where it was asked', undefined, 'a'],
      [
        'in the preferred place before a requisite one',
        { requisite: [inZone('a'), inZone('b')], preferred: [inZone('b'), inZone('a')] },
        'b',
      ],
      ['in the first requisite place that has a node', { requisite: [inZone('c'), inZone('b')] }, 'b'],
      [
        'not where there is no node',
        { requisite: [inZone('c'), inZone('a')], preferred: [inZone('c'), inZone('a')] },
        'a',
      ],
    ]
    for (const [what, accessibilityRequirements, zone] of places) {
      test(`makes it ${what}`, async () => {
        const { driver } = await openDriver({ nodes })
        const { volume } = await driver.createVolume(
          asked(accessibilityRequirements ? { accessibilityRequirements } : {}),
        )
        deepEqual(volume?.accessibleTopology, [inZone(zone)])
      })
    }
    test('refuses a place where no node is, so that another is tried', async () => {
      const { driver } = await openDriver({ nodes })
      await fails(
        driver.createVolume(asked({ accessibilityRequirements: { requisite: [inZone('c')] } })),
        'RESOURCE_EXHAUSTED',
        /no node/,
      )
    })
    test('tells no topology when its node has none', async () => {
      const { driver } = await openDriver()
      deepEqual((await driver.createVolume(asked())).volume?.accessibleTopology, [])
    })
  })
})

describe('a clone', () => {
  for (const [mode, use] of [
    ['mount', asMount()],
    ['block', asBlock()],
  ] as const) {
    test(`of a ${mode} volume has its content, and goes its own way afterwards`, async () => {
      const { driver, machine } = await openDriver()
      const original = await makeVolume(driver, 'original', use)
      const inside = (volumeId: string): string =>
        mode === 'mount' ? `${ROOT}/volumes/${volumeId}/data/file` : `${ROOT}/volumes/${volumeId}/image`
      const padded = (text: string): Uint8Array =>
        mode === 'mount' ? bytes(text) : bytes(text.padEnd(Number(MIB), ' '))
      await machine.files.writeFile(inside(original.volumeId), padded('before'))
      const copy = await makeVolume(driver, 'copy', use, { volumeContentSource: fromVolume(original.volumeId) })
      match(await readText(machine, inside(copy.volumeId)), /^before/)
      await machine.files.writeFile(inside(original.volumeId), padded('changed'))
      match(await readText(machine, inside(copy.volumeId)), /^before/)
      await driver.deleteVolume({ volumeId: original.volumeId })
      match(await readText(machine, inside(copy.volumeId)), /^before/)
    })
  }

  test('tells what it was made from', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'original')
    const { volume } = await driver.createVolume(asked({ volumeContentSource: fromVolume(volumeId) }))
    deepEqual(volume?.contentSource, fromVolume(volumeId))
    equal(volume?.capacityBytes, MIB)
  })

  test('of the other mode is refused', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'original')
    await fails(
      driver.createVolume(asked({ volumeCapabilities: [asBlock()], volumeContentSource: fromVolume(volumeId) })),
      'INVALID_ARGUMENT',
      /mode/,
    )
  })

  test('is never smaller than the original, and may be larger', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'original', asBlock())
    const source = { volumeContentSource: fromVolume(volumeId), volumeCapabilities: [asBlock()] }
    await fails(driver.createVolume(asked({ ...source, capacityRange: { limitBytes: MIB - 1n } })), 'OUT_OF_RANGE')
    const least = await driver.createVolume({ ...asked(source), name: 'least', capacityRange: { requiredBytes: 1n } })
    equal(least.volume?.capacityBytes, MIB)
    const { volume } = await driver.createVolume(asked({ ...source, capacityRange: { requiredBytes: 3n * MIB } }))
    equal(volume?.capacityBytes, 3n * MIB)
    equal((await machine.files.findStat(`${ROOT}/volumes/${volume?.volumeId}/image`))?.sizeBytes, 3n * MIB)
  })

  test('of something that is being deleted is put off', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'original')
    const deleted = driver.deleteVolume({ volumeId })
    await fails(driver.createVolume(asked({ volumeContentSource: fromVolume(volumeId) })), 'ABORTED')
    await deleted
    await fails(driver.createVolume(asked({ volumeContentSource: fromVolume(volumeId) })), 'NOT_FOUND')
  })
})

describe('DeleteVolume', () => {
  test('removes the volume with all that is in it, and may be repeated', async () => {
    const { driver, machine } = await openDriver()
    const fresh = machine.snapshotTree()
    const { volumeId } = await makeVolume(driver, 'one')
    await machine.files.makeDirectory(`${ROOT}/volumes/${volumeId}/data/inner`)
    await machine.files.writeFile(`${ROOT}/volumes/${volumeId}/data/inner/file`, bytes('x'))
    await driver.deleteVolume({ volumeId })
    await driver.deleteVolume({ volumeId })
    deepEqual(machine.snapshotTree(), fresh)
    notEqual((await makeVolume(driver, 'one')).volumeId, volumeId)
  })

  test('refuses a volume that a node uses, and names the node', async () => {
    const { driver, machine } = await openDriver()
    const made = await makeVolume(driver, 'one')
    await useVolume(driver, machine, made, '/pods/one')
    await fails(driver.deleteVolume(made), 'FAILED_PRECONDITION', /in use on node node-1/)
    await releaseVolume(driver, made, '/pods/one')
    await driver.deleteVolume(made)
  })

  test('refuses a volume that is attached, also to a node that has never staged it', async () => {
    const { driver } = await openDriver({ attach: true, nodes: [{ id: 'node-1' }, { id: 'node-2' }] })
    const made = await makeVolume(driver, 'one')
    await driver.controllerPublishVolume({ ...made, nodeId: 'node-2' })
    await fails(driver.deleteVolume(made), 'FAILED_PRECONDITION', /in use on node node-2/)
  })

  test('leaves snapshots and clones of the volume alone', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    const { snapshot } = await driver.createSnapshot({ name: 'snap', sourceVolumeId: volumeId })
    const copy = await makeVolume(driver, 'copy', asMount(), { volumeContentSource: fromVolume(volumeId) })
    await driver.deleteVolume({ volumeId })
    deepEqual(await listIds(driver), [copy.volumeId])
    equal((await driver.getSnapshot({ snapshotId: snapshot?.snapshotId ?? '' })).snapshot?.sourceVolumeId, volumeId)
  })

  test('has nothing to do for an id that is nobody’s, whatever it looks like', async () => {
    const { driver, machine } = await openDriver()
    await machine.files.makeDirectory('/data/neighbour')
    await machine.files.writeFile('/data/neighbour/file', bytes('x'))
    const { volumeId } = await makeVolume(driver, 'one')
    const before = machine.snapshotTree()
    const ids = [
      'none',
      '../../neighbour',
      '..',
      '.',
      '/data/neighbour',
      `../volumes/${volumeId}`,
      `${volumeId}/data`,
      `${volumeId}/`,
      '__proto__',
      'a\0b',
    ]
    for (const id of ids) {
      await driver.deleteVolume({ volumeId: id })
      await driver.deleteSnapshot({ snapshotId: id })
      await driver.deleteVolumeGroupSnapshot({ groupSnapshotId: id })
    }
    deepEqual(machine.snapshotTree(), before)
  })
})

describe('ListVolumes', () => {
  test('gives each volume that stays exactly once, whatever comes and goes between the pages', async () => {
    const { driver } = await openDriver()
    const made = await Promise.all(Array.from({ length: 20 }, (_, index) => makeVolume(driver, `volume-${index}`)))
    const ids = made.map(({ volumeId }) => volumeId).sort()
    const seen: string[] = []
    const gone = new Set<string>()
    let startingToken = ''
    for (let page = 0; page === 0 || startingToken !== ''; page++) {
      const { entries, nextToken } = await driver.listVolumes({ maxEntries: 3, startingToken })
      ok(entries.length <= 3)
      seen.push(...entries.map(({ volume }) => volume?.volumeId ?? ''))
      // The entry in the token, and one on a later page.
      for (const volumeId of [seen.at(-1), ids.find((id) => id > (seen.at(-1) ?? '') && !gone.has(id))]) {
        if (volumeId === undefined) continue
        await driver.deleteVolume({ volumeId })
        gone.add(volumeId)
      }
      await makeVolume(driver, `late-${page}`)
      startingToken = nextToken
    }
    equal(new Set(seen).size, seen.length)
    deepEqual(
      ids.filter((id) => !gone.has(id) && !seen.includes(id)),
      [],
    )
  })

  test('begins anew for a token that it has not given', async () => {
    const { driver } = await openDriver()
    await fails(driver.listVolumes({ startingToken: 'mine' }), 'ABORTED')
    await fails(driver.listVolumes({ maxEntries: -1 }), 'INVALID_ARGUMENT')
  })

  test('tells where a volume is published, and whether it is well', async () => {
    const { driver } = await openDriver({ attach: true })
    const made = await makeVolume(driver, 'one')
    await driver.controllerPublishVolume({ ...made, nodeId: 'node-1' })
    const [entry] = (await driver.listVolumes({})).entries
    deepEqual(entry?.status, {
      publishedNodeIds: ['node-1'],
      volumeCondition: { abnormal: false, message: 'the volume is well' },
    })
  })
})

describe('ControllerGetVolume', () => {
  test('tells that the content of a volume is missing', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    equal((await driver.controllerGetVolume({ volumeId })).status?.volumeCondition?.abnormal, false)
    await removeTree(machine, `${ROOT}/volumes/${volumeId}/data`)
    const { status } = await driver.controllerGetVolume({ volumeId })
    equal(status?.volumeCondition?.abnormal, true)
    match(status?.volumeCondition?.message ?? '', /missing/)
  })

  test('does not know what does not exist', async () => {
    const { driver } = await openDriver()
    await fails(driver.controllerGetVolume({ volumeId: 'none' }), 'NOT_FOUND')
    await fails(driver.controllerGetVolume({}), 'INVALID_ARGUMENT')
  })
})

describe('GetCapacity', () => {
  test('is what volumes and snapshots leave, and nothing where no node is', async () => {
    const { driver } = await openDriver({
      capacityBytes: 10n * MIB,
      nodes: [{ id: 'node-1', topology: { [ZONE]: 'a' } }],
    })
    const { volumeId } = await makeVolume(driver, 'one')
    await driver.createSnapshot({ name: 'snap', sourceVolumeId: volumeId })
    await driver.createVolumeGroupSnapshot({ name: 'group', sourceVolumeIds: [volumeId] })
    const here = await driver.getCapacity({ accessibleTopology: inZone('a') })
    deepEqual(here, { availableCapacity: 7n * MIB, maximumVolumeSize: 7n * MIB, minimumVolumeSize: 1n })
    equal((await driver.getCapacity({ accessibleTopology: inZone('b') })).availableCapacity, 0n)
  })

  test('is the size of the file system when no other was given', async () => {
    const machine = await startMachine({ capacityBytes: 64n * MIB })
    const { driver } = await openDriver({ machine })
    equal((await driver.getCapacity({})).availableCapacity, 64n * MIB)
  })
})

describe('ControllerExpandVolume', () => {
  test('grows the image of a device and asks the node to follow', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asBlock())
    const image = `${ROOT}/volumes/${volumeId}/image`
    const answer = await driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 3n * MIB - 5n } })
    deepEqual(answer, { capacityBytes: 3n * MIB, nodeExpansionRequired: true })
    equal((await machine.files.findStat(image))?.sizeBytes, 3n * MIB)
  })

  test('is enough by itself for a file system', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one')
    deepEqual(await driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 2n * MIB } }), {
      capacityBytes: 2n * MIB,
      nodeExpansionRequired: false,
    })
    equal((await driver.controllerGetVolume({ volumeId })).volume?.capacityBytes, 2n * MIB)
  })

  test('never makes a volume smaller', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asBlock())
    equal(
      (await driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 4096n } })).capacityBytes,
      MIB,
    )
    await fails(driver.controllerExpandVolume({ volumeId, capacityRange: { limitBytes: 4096n } }), 'OUT_OF_RANGE')
    equal((await machine.files.findStat(`${ROOT}/volumes/${volumeId}/image`))?.sizeBytes, MIB)
  })

  test('never cuts off what an earlier try has grown, though it was not recorded', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asBlock())
    const image = `${ROOT}/volumes/${volumeId}/image`
    machine.setCapacity(0n)
    await fails(
      driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 4n * MIB } }),
      'RESOURCE_EXHAUSTED',
    )
    machine.setCapacity(GIB)
    await driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 2n * MIB } })
    equal((await machine.files.findStat(image))?.sizeBytes, 4n * MIB)
  })

  test('does not make up content that is missing', async () => {
    const { driver, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asBlock())
    await machine.files.removeFile(`${ROOT}/volumes/${volumeId}/image`)
    await fails(
      driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 2n * MIB } }),
      'INTERNAL',
      /missing/,
    )
    equal((await driver.controllerGetVolume({ volumeId })).status?.volumeCondition?.abnormal, true)
  })

  test('refuses what does not exist, does not fit or is of the other mode', async () => {
    const { driver } = await openDriver({ capacityBytes: 4n * MIB })
    const { volumeId } = await makeVolume(driver, 'one')
    await makeVolume(driver, 'two', asMount(), { capacityRange: { requiredBytes: 2n * MIB } })
    await fails(driver.controllerExpandVolume({ volumeId: 'none', capacityRange: { requiredBytes: MIB } }), 'NOT_FOUND')
    await fails(driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 5n * MIB } }), 'OUT_OF_RANGE')
    await fails(
      driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 3n * MIB } }),
      'RESOURCE_EXHAUSTED',
    )
    await fails(
      driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: MIB }, volumeCapability: asBlock() }),
      'INVALID_ARGUMENT',
    )
    equal(
      (await driver.controllerExpandVolume({ volumeId, capacityRange: { requiredBytes: 2n * MIB } })).capacityBytes,
      2n * MIB,
    )
  })
})

describe('ControllerModifyVolume', () => {
  test('changes the parameters that are named, and only those', async () => {
    const { driver, hostpath, machine } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asMount(), {
      mutableParameters: { iops: '100', tier: 'slow' },
    })
    await driver.controllerModifyVolume({ volumeId, mutableParameters: { iops: '500' } })
    deepEqual(hostpath.volumes.find(volumeId)?.mutableParameters, { iops: '500', tier: 'slow' })
    const again = await openDriver({ machine })
    deepEqual(again.hostpath.volumes.find(volumeId)?.mutableParameters, { iops: '500', tier: 'slow' })
  })

  test('without parameters changes nothing, but the volume has to exist', async () => {
    const { driver, hostpath } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asMount(), { mutableParameters: { iops: '100' } })
    await driver.controllerModifyVolume({ volumeId })
    deepEqual(hostpath.volumes.find(volumeId)?.mutableParameters, { iops: '100' })
    await fails(driver.controllerModifyVolume({ volumeId: 'none' }), 'NOT_FOUND', /none/)
  })

  test('changes nothing when one of them can not be applied', async () => {
    const { driver, hostpath } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asMount(), { mutableParameters: { iops: '100' } })
    for (const wrong of [
      { colour: 'red' },
      { iops: 'many' },
      { throughput: '0' },
      { constructor: 'x' },
      { toString: 'x' },
    ]) {
      await fails(
        driver.controllerModifyVolume({
          volumeId,
          mutableParameters: { iops: '500', ...(wrong as Record<string, string>) },
        }),
        'INVALID_ARGUMENT',
      )
    }
    deepEqual(hostpath.volumes.find(volumeId)?.mutableParameters, { iops: '100' })
    await fails(driver.controllerModifyVolume({ volumeId: 'none', mutableParameters: { iops: '1' } }), 'NOT_FOUND')
  })
})

describe('ValidateVolumeCapabilities', () => {
  test('confirms what the volume is, and says why it can not', async () => {
    const { driver } = await openDriver()
    const { volumeId } = await makeVolume(driver, 'one', asMount(), { parameters: { kind: 'a' } })
    const volumeCapabilities = [asMount('MULTI_NODE_MULTI_WRITER')]
    const { confirmed } = await driver.validateVolumeCapabilities({
      volumeId,
      volumeCapabilities,
      parameters: { kind: 'a' },
    })
    deepEqual([confirmed?.volumeCapabilities.length, confirmed?.parameters], [1, { kind: 'a' }])
    const unconfirmed: [request: object, message: RegExp][] = [
      [{ volumeCapabilities: [asMount(), asBlock()] }, /is a file system/],
      [{ volumeCapabilities, parameters: { kind: 'b' } }, /other parameters/],
      [{ volumeCapabilities, mutableParameters: { colour: 'red' } }, /colour is unknown/],
    ]
    for (const [request, message] of unconfirmed) {
      const answer = await driver.validateVolumeCapabilities({ volumeId, ...request })
      equal(answer.confirmed, undefined)
      match(answer.message, message)
    }
    await fails(driver.validateVolumeCapabilities({ volumeId: 'none', volumeCapabilities }), 'NOT_FOUND')
  })
})
