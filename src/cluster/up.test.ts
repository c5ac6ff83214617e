import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ignoreNotFound } from '../api/api-error.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSystemRandom } from '../base/random.ts'
import { MIRROR_ANNOTATION, POD_HANDLES_ANNOTATION } from '../compat/mirror-csi-driver.ts'
import { ALPHA_CSI_DRIVERS } from '../compat/alpha-csi-driver.ts'
import { AccessMode, connectDriver } from '../csi/index.ts'
import { createClaim, createPod, DRIVER, NAMESPACE } from './testing/describe-cluster.ts'
import { MAIN, mountsBelow, openClusterDirectory, startUp } from './testing/describe-up.ts'
import type { Seen, Up } from './testing/describe-up.ts'

const LIMIT = { timeout: 60_000 }
const HAS_KUBECTL = spawnSync('kubectl', ['version', '--client']).status === 0
const run = promisify(execFile)
const isRunning = (seen: Seen, name: string): boolean =>
  seen.pods.some(({ metadata, status }) => metadata.name === name && status?.phase === 'Running')
const isEmpty = ({ claims, volumes, pods, attachments }: Seen): boolean =>
  claims.length + volumes.length + pods.length + attachments.length === 0

/** Where the pod finds its volume. */
function mountPath(directory: string, seen: Seen, name: string): string {
  const pod = seen.pods.find(({ metadata }) => metadata.name === name)
  const claim = seen.claims.find(
    ({ metadata }) => metadata.name === pod?.spec.volumes?.[0]?.persistentVolumeClaim?.claimName,
  )
  return join(
    directory,
    pod?.spec.nodeName ?? '',
    'pods',
    pod?.metadata.uid ?? '',
    'volumes/kubernetes.io~csi',
    claim?.spec.volumeName ?? '',
    'mount',
  )
}

async function deleteAll({ api, until }: Up): Promise<void> {
  for (const { metadata } of (await api.list(PODS)).items)
    await api.delete(PODS, { namespace: NAMESPACE, name: metadata.name ?? '' })
  for (const { metadata } of (await api.list(PERSISTENT_VOLUME_CLAIMS)).items)
    await api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: metadata.name ?? '' })
  await until(isEmpty)
}

/** No volume, no mount, no directory of a pod. */
async function assertNothingLeft(directory: string): Promise<void> {
  deepEqual(await mountsBelow(directory), [])
  deepEqual(await readdir(join(directory, 'volumes/volumes')), [])
  for (const node of (await readdir(directory)).filter((name) => name.startsWith('node-')))
    deepEqual(await readdir(join(directory, node, 'pods')), [])
}

test(
  'S3-1, S3-104, S3-107: a claim and a pod become a mounted volume, whose data outlives the pod and goes with the claim',
  LIMIT,
  async (context) => {
    const directory = await openClusterDirectory(context)
    const up = await startUp(directory, '--nodes=2')
    await createClaim(up.api, 'data')
    await createPod(up.api, 'first', 'data')
    const seen = await up.until((now) => isRunning(now, 'first'))
    await writeFile(join(mountPath(directory, seen, 'first'), 'note'), 'kept')
    await up.api.delete(PODS, { namespace: NAMESPACE, name: 'first' })
    await up.until(({ pods }) => pods.length === 0)
    await createPod(up.api, 'second', 'data')
    equal(
      await readFile(
        join(mountPath(directory, await up.until((now) => isRunning(now, 'second')), 'second'), 'note'),
        'utf8',
      ),
      'kept',
    )
    await deleteAll(up)
    await assertNothingLeft(directory)
    equal(await up.stop(), 0)
  },
)

test(
  'S1-3: kubectl get csidrivers lists the bundled driver, pods may have volumes of it, and what somebody makes of that object stays',
  { ...LIMIT, skip: HAS_KUBECTL ? false : 'there is no kubectl on PATH' },
  async (context) => {
    const directory = await openClusterDirectory(context)
    const kubectl = async (...words: string[]): Promise<string> =>
      (
        await run('kubectl', [
          `--kubeconfig=${join(directory, 'kubeconfig')}`,
          `--cache-dir=${join(directory, 'kubectl')}`,
          ...words,
        ])
      ).stdout
    const first = await startUp(directory)
    match(
      await kubectl('get', 'csidrivers'),
      new RegExp(`^${DRIVER} +true +true +false +<unset> +false +Persistent,Ephemeral `, 'm'),
    )
    equal(await kubectl('get', 'csidrivers.csi.storage.k8s.io', '-o', 'name'), '')
    await createPod(first.api, 'web', '', {
      volumes: [{ name: 'data', csi: { driver: DRIVER, volumeAttributes: { size: '1Mi' } } }],
    })
    await first.until((now) => isRunning(now, 'web'))
    await deleteAll(first)
    await kubectl('patch', 'csidriver', DRIVER, '--type=merge', '--patch={"spec":{"podInfoOnMount":false}}')
    equal(await first.stop(), 0)
    const second = await startUp(directory)
    equal((await second.api.get(CSI_DRIVERS, { name: DRIVER })).spec.podInfoOnMount, false)
    equal(await second.stop(), 0)
  },
)

test(
  'H3, H40: an object of the first documents takes the place of what the cluster said of the bundled driver, and lets a pod use a volume by its handle',
  LIMIT,
  async (context) => {
    const directory = await openClusterDirectory(context)
    const up = await startUp(directory, '--nodes=2')
    const { driver, connection } = connectDriver({
      endpoint: join(directory, 'node-1/plugins', DRIVER, 'csi.sock'),
      clock: createSystemClock(),
    })
    context.after(() => connection.close())
    const capability = {
      accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
      accessType: { $case: 'mount', value: {} },
    } as const
    const handle =
      (
        await driver.createVolume({
          name: 'by-hand',
          capacityRange: { requiredBytes: 1024n ** 2n },
          volumeCapabilities: [capability],
        })
      ).volume?.volumeId ?? ''
    await up.api.create(ALPHA_CSI_DRIVERS, {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSIDriver',
      metadata: { name: 'any-name', annotations: { [POD_HANDLES_ANNOTATION]: 'true' } },
      spec: { driver: DRIVER, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
    })
    const createInLine = (name: string) =>
      createPod(up.api, name, '', { volumes: [{ name: 'data', csi: { driver: DRIVER, volumeHandle: handle } }] })
    const pathOf = async (name: string): Promise<string> => {
      const { pods } = await up.until((now) => isRunning(now, name))
      const pod = pods.find(({ metadata }) => metadata.name === name)
      return join(
        directory,
        pod?.spec.nodeName ?? '',
        'pods',
        pod?.metadata.uid ?? '',
        'volumes/kubernetes.io~csi/data/mount/note',
      )
    }
    await createInLine('first')
    await writeFile(await pathOf('first'), 'kept')
    await up.api.delete(PODS, { namespace: NAMESPACE, name: 'first' })
    await up.until(isEmpty)
    await createInLine('second')
    equal(await readFile(await pathOf('second'), 'utf8'), 'kept')
    deepEqual(
      (await up.api.list(CSI_DRIVERS)).items.map(({ metadata }) => metadata.annotations?.[MIRROR_ANNOTATION]),
      ['any-name'],
    )
    await deleteAll(up)
    deepEqual(
      (await driver.listVolumes({})).entries.map(({ volume }) => volume?.volumeId),
      [handle],
    )
    equal(await up.stop(), 0)
  },
)

test(
  'stopped and started on the same data, it goes on where it was: mounts stay, and go when they are no longer wanted',
  LIMIT,
  async (context) => {
    const directory = await openClusterDirectory(context)
    const first = await startUp(directory)
    await createClaim(first.api, 'data')
    await createPod(first.api, 'web', 'data')
    const path = mountPath(directory, await first.until((now) => isRunning(now, 'web')), 'web')
    await writeFile(join(path, 'note'), 'kept')
    equal(await first.stop(), 0)
    equal(await readFile(join(path, 'note'), 'utf8'), 'kept')
    const second = await startUp(directory)
    await second.until((now) => isRunning(now, 'web'))
    equal(await readFile(join(path, 'note'), 'utf8'), 'kept')
    await deleteAll(second)
    await assertNothingLeft(directory)
  },
)

// More of them by hand: HOLDFAST_CYCLES=200 npx node --test src/cluster/up.test.ts
const CYCLES = Number(process.env['HOLDFAST_CYCLES'] ?? 8)

// At another point of the way each time, and some changes later while there are surely more to come.
const POINTS: readonly ((now: Seen, names: readonly string[]) => boolean)[] = [
  () => true,
  ({ volumes }) => volumes.length > 0,
  ({ attachments }) => attachments.length > 1,
  ({ attachments }) => attachments.some(({ status }) => status?.attached === true),
  (now, names) => isRunning(now, names[0] ?? ''),
  (now, names) => names.every((name) => isRunning(now, name)),
]
const [MOST_CHANGES, SURE_OF_MORE] = [6, 4]

test(
  `killed ${CYCLES} times while claims and pods come and go, it converges and leaks nothing`,
  { timeout: 60_000 + CYCLES * 15_000 },
  async (context) => {
    const directory = await openClusterDirectory(context)
    const random = createSystemRandom()
    const namesOf = (cycle: number): string[] => Array.from({ length: 4 }, (_, index) => `c${cycle}-${index}`)
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const up = await startUp(directory, '--nodes=2')
      const names = namesOf(cycle)
      for (const name of names) {
        await createClaim(up.api, name)
        await createPod(up.api, name, name)
      }
      const point = POINTS[cycle % POINTS.length] ?? (() => true)
      const later = cycle % POINTS.length < SURE_OF_MORE ? random.below(MOST_CHANGES) : 0
      let changes = 0
      await up.until((now) => point(now, names) && changes++ >= later)
      // Pods go a cycle later, their claims two: some with their claims, some long before.
      for (const name of cycle < 1 ? [] : namesOf(cycle - 1).slice(0, 3))
        await up.api.delete(PODS, { namespace: NAMESPACE, name })
      for (const name of cycle < 2 ? [] : namesOf(cycle - 2)) {
        await up.api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name })
        await up.api.delete(PODS, { namespace: NAMESPACE, name }).catch(ignoreNotFound)
      }
      await up.kill()
    }
    const last = await startUp(directory, '--nodes=2')
    await last.until(({ pods }) =>
      pods.every(({ status, metadata }) => status?.phase === 'Running' && !metadata.deletionTimestamp),
    )
    await deleteAll(last)
    await assertNothingLeft(directory)
  },
)

test(
  'a second one on the same directory is refused, two on different ones do not disturb each other',
  LIMIT,
  async (context) => {
    const directory = await openClusterDirectory(context)
    const up = await startUp(directory)
    await rejects(startUp(directory), /in use|another|locked/)
    const other = await startUp(await openClusterDirectory(context))
    await createClaim(up.api, 'data')
    await up.until(({ claims }) => claims[0]?.status?.phase === 'Bound')
    deepEqual((await other.api.list(PERSISTENT_VOLUME_CLAIMS)).items, [])
  },
)

test('with zones the volume is where its pod is', LIMIT, async (context) => {
  const directory = await openClusterDirectory(context)
  const up = await startUp(directory, '--nodes=3', '--zones=a,b,c')
  match(up.output, /on node-2, zone b/)
  await createClaim(up.api, 'data')
  await createPod(up.api, 'web', 'data', {
    nodeSelector: { 'topology.holdfast.dev/zone': 'c', 'topology.kubernetes.io/zone': 'c' },
  })
  const { pods, volumes } = await up.until((now) => isRunning(now, 'web'))
  equal(pods[0]?.spec.nodeName, 'node-3')
  ok(JSON.stringify(volumes[0]?.spec.nodeAffinity).includes('"c"'))
})

test('a directory that is not empty and no cluster of ours is left alone', LIMIT, async (context) => {
  const directory = await openClusterDirectory(context)
  await mkdir(join(directory, 'volumes'))
  await writeFile(join(directory, 'volumes', 'mine'), 'precious')
  await rejects(startUp(directory))
  equal(await readFile(join(directory, 'volumes', 'mine'), 'utf8'), 'precious')
})

test(
  'S3-5: a driver that somebody else runs is served by its socket alone, and each of its calls can be followed without secrets',
  LIMIT,
  async (context) => {
    const directory = await openClusterDirectory(context)
    const socket = join(directory, 'other.sock')
    const other = spawn(
      process.execPath,
      [
        MAIN,
        'driver',
        `--endpoint=unix://${socket}`,
        '--driver-name=other.example.com',
        '--node-id=node-1',
        '--attach',
        `--data=${join(directory, 'other')}`,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    context.after(() => other.kill('SIGKILL'))
    await once(other.stdout, 'data')
    const data = join(directory, 'cluster')
    const up = await startUp(data, `--driver=unix://${socket}`, '--no-bundled-driver', '--trace-csi')
    match(up.output, /driver other\.example\.com on node-1/)
    await createClaim(up.api, 'data')
    await createPod(up.api, 'web', 'data')
    const { volumes } = await up.until((now) => isRunning(now, 'web'))
    equal(volumes[0]?.spec.csi?.driver, 'other.example.com')
    for (const call of ['CreateVolume', 'ControllerPublishVolume', 'NodeStageVolume', 'NodePublishVolume']) {
      match(up.errors(), new RegExp(`"message":"CSI call".*/${call}"`))
      match(
        up.errors(),
        new RegExp(`"message":"CSI call started".*/${call}","by":"[^"]+","driver":"other.example.com","for":"`),
      )
    }
    await deleteAll(up)
    equal(await up.stop(), 0)
  },
)

test(
  'down removes what up has left, mounts too, but not while it runs, not without being told, and nothing that is no cluster',
  LIMIT,
  async (context) => {
    const directory = await openClusterDirectory(context)
    const data = join(directory, 'cluster')
    const up = await startUp(data)
    await createClaim(up.api, 'data')
    await createPod(up.api, 'web', 'data')
    await up.until((now) => isRunning(now, 'web'))
    const down = (...flags: string[]) => run(process.execPath, [MAIN, 'down', ...flags])
    await rejects(down(`--data=${data}`, '--yes'), /in use by another holdfast process/)
    await up.stop()
    await rejects(down(`--data=${data}`), /use --yes/)
    await rejects(
      down(`--data=${directory}`, '--yes'),
      /contains no data of a cluster that was started with up\. Nothing was deleted/,
    )
    match((await down(`--data=${data}`, '--yes')).stdout, /^deleted the cluster in .* with all its volumes and objects/)
    deepEqual(await readdir(directory), [])
    deepEqual(await mountsBelow(directory), [])
  },
)
