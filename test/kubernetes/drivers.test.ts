import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { PODS } from '../../src/api/kinds/pod.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'
import { mountsBelow } from '../../src/cluster/testing/describe-up.ts'
import type { Seen } from '../../src/cluster/testing/describe-up.ts'
import { failedCalls, isEmpty, isRunning, openDriverStage } from './driver-stage.ts'
import type { DriverStage } from './driver-stage.ts'
import { CSI_MOCK, FOREIGN_DRIVERS } from './foreign-drivers.ts'
import type { ForeignDriver } from './foreign-drivers.ts'
import { buildPeer } from './peers.ts'

const LIMIT = { timeout: 120_000 }
const NAMES = ['a', 'b', 'c']

type Point = readonly [when: string, isReached: (seen: Seen) => boolean]

// Each is passed on the way of several pods, so that work is under way whenever one is reached.
const COMING: readonly Point[] = [
  ['a claim waits for its volume', ({ claims, pods }) => claims.length > 0 || pods.length > 0],
  ['a volume is made', ({ volumes, pods }) => volumes.length > 0 || pods.length > 0],
  [
    'a volume is attached',
    (seen) => seen.attachments.some(({ status }) => status?.attached === true) || isRunning(seen),
  ],
  ['a pod runs', (seen) => isRunning(seen)],
]
const GOING: readonly Point[] = [
  ['pods are to go', () => true],
  ['a pod is gone', ({ pods }) => pods.length < NAMES.length],
  [
    'a volume is given up',
    ({ pods, volumes }) => pods.length === 0 || volumes.some(({ status }) => status?.phase === 'Released'),
  ],
  ['a volume is detached', ({ attachments }) => attachments.length < NAMES.length],
]

/** Pods come and go, and it strikes once on the way there and once on the way back. */
async function strikeOnTheWay(
  stage: DriverStage,
  [coming, going]: readonly [Point, Point],
  strike: () => Promise<void>,
): Promise<void> {
  for (const name of NAMES) await stage.createPod(name, { block: false })
  await stage.until(...coming)
  await strike()
  await stage.until('all pods run', (seen) => NAMES.every((name) => isRunning(seen, name)))
  await stage.deleteAll()
  await stage.until(...going)
  await strike()
  await stage.until('all is gone', isEmpty)
  await stage.assertNothingLeft()
}

async function strikeEverywhere(stage: DriverStage, strike: () => Promise<void>): Promise<void> {
  for (const [index, coming] of COMING.entries()) {
    const going = GOING[index]
    ok(going)
    try {
      await strikeOnTheWay(stage, [coming, going], strike)
    } catch (error) {
      if (error instanceof Error) error.message += ` (struck when ${coming[0]}, and when ${going[0]})`
      throw error
    }
  }
}

/** The life of volumes of every kind that the driver has, with nothing in its way. */
async function liveThrough(stage: DriverStage, driver: ForeignDriver): Promise<void> {
  const isReal = driver.isMock !== true
  const first = await stage.createPod('first', { block: isReal && driver.parameters !== undefined })
  const seen = await stage.until('the first pod runs', (now) => isRunning(now, 'first'))
  const volumeOf = (claim: string): string =>
    seen.claims.find(({ metadata }) => metadata.name === claim)?.spec.volumeName ?? ''
  const targets = [
    ...(driver.parameters ? [volumeOf('first-data')] : []),
    ...(driver.hasInLineVolumes ? ['in-line'] : []),
  ].map((volume) => stage.mountPath(first, volume))
  const mounts = await mountsBelow(stage.directory)
  for (const target of targets) ok(!isReal || mounts.includes(target), `${target} is mounted`)
  if (driver.parameters)
    equal(
      seen.attachments.every(({ status }) => status?.attached === true),
      true,
    )
  const [data = ''] = targets
  if (isReal && driver.parameters) {
    writeFileSync(join(data, 'note'), 'kept')
    const raw = join(
      stage.directory,
      'cluster/node-1/pods',
      first.metadata.uid ?? '',
      'volumeDevices/kubernetes.io~csi',
      volumeOf('first-raw'),
    )
    ok(statSync(raw).isBlockDevice(), 'the pod has a block device')
    await stage.up.api.delete(PODS, { namespace: 'default', name: 'first' })
    await stage.until('the first pod is gone', ({ pods }) => pods.length === 0)
    const { kind, apiVersion, spec } = first
    const second = await stage.up.api.create(PODS, {
      kind,
      apiVersion,
      metadata: { namespace: 'default', name: 'second' },
      spec: { containers: spec.containers, volumes: spec.volumes ?? [] },
    })
    await stage.until('the second pod runs', (now) => isRunning(now, 'second'))
    equal(readFileSync(join(stage.mountPath(second, volumeOf('first-data')), 'note'), 'utf8'), 'kept')
  }
  await stage.deleteAll()
  await stage.until('all is gone', isEmpty)
  await stage.assertNothingLeft()
}

for (const driver of FOREIGN_DRIVERS) {
  describe(driver.title, { skip: driver.whyNot() ?? false }, () => {
    test(
      'S3-1: its volumes are made, attached, staged, published and all of that undone, with no call that fails',
      LIMIT,
      async (context) => {
        const stage = await openDriverStage(context, driver)
        await liveThrough(stage, driver)
        deepEqual(failedCalls(stage.up), [])
        equal(await stage.up.stop(), 0)
      },
    )

    test(
      'killed on the way and started again, it ends with every pod running, and then with nothing left',
      { ...LIMIT, skip: driver.whyNoKill?.driver ?? false },
      async (context) => {
        const stage = await openDriverStage(context, driver)
        await strikeEverywhere(stage, async () => {
          await stage.killDriver()
          await stage.startDriver()
        })
      },
    )

    test(
      'holdfast killed on the way and started again, it ends with every pod running, and then with nothing left',
      { ...LIMIT, skip: driver.whyNoKill?.holdfast ?? false },
      async (context) => {
        const stage = await openDriverStage(context, driver)
        await strikeEverywhere(stage, () => stage.restartUp())
      },
    )
  })
}

test(
  'what a driver says of its node is kept to: no more volumes than it can attach, and the next one when there is room',
  LIMIT,
  async (context) => {
    const limited: ForeignDriver = {
      ...CSI_MOCK,
      hasInLineVolumes: false,
      command: async ({ socket }) => [await buildPeer('csi-mock'), `-socket=${socket}`, '-topology', '-attach-limit=2'],
    }
    const stage = await openDriverStage(context, limited, { withBundled: true })
    for (const name of NAMES) await stage.createPod(name)
    const isFull = (pod: Pod): boolean =>
      pod.status?.conditions?.some(
        ({ type, message = '' }) => type === 'PodScheduled' && message.includes('max volume count'),
      ) ?? false
    const { pods } = await stage.until(
      'two run and one waits',
      (seen) => seen.pods.filter(({ status }) => status?.phase === 'Running').length === 2 && seen.pods.some(isFull),
    )
    const waiting = pods.find(isFull)?.metadata.name ?? ''
    const [running = ''] = NAMES.filter((name) => name !== waiting)
    await stage.up.api.delete(PODS, { namespace: 'default', name: running })
    await stage.until('the third runs', (seen) => isRunning(seen, waiting))
    deepEqual(failedCalls(stage.up), [])
    await stage.deleteAll()
    await stage.until('all is gone', isEmpty)
  },
)
