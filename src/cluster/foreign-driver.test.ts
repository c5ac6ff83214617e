import { equal, match } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { createClaim, createPod, deletePod, NAMESPACE } from './testing/describe-cluster.ts'
import { MAIN, openClusterDirectory, startUp } from './testing/describe-up.ts'

const DRIVER = 'other.example.com'
// What a container has of its own.
const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--uts', '--ipc']

const driverWords = (endpoint: string, data: string): string[] => [
  MAIN,
  'driver',
  `--endpoint=unix://${endpoint}`,
  `--driver-name=${DRIVER}`,
  '--node-id=node-1',
  '--attach',
  `--data=${data}`,
  '--publish=link',
]

type Way = { readonly how: string; start(directory: string): ChildProcess }

const WAYS: readonly Way[] = [
  {
    how: 'as a plain process',
    start: (directory) =>
      spawn(process.execPath, driverWords(join(directory, 'socket/csi.sock'), join(directory, 'other')), {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
  },
  {
    // Its directory for the socket has another path inside, as /csi has in pods.
    how: 'in namespaces of its own, as in a container',
    start: (directory) =>
      spawn(
        'unshare',
        [
          ...NAMESPACES,
          'sh',
          '-c',
          'hostname driver-0 && mount --bind "$0" /mnt && exec "$@"',
          join(directory, 'socket'),
          process.execPath,
          ...driverWords('/mnt/csi.sock', join(directory, 'other')),
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      ),
  },
]

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout) for await (const line of createInterface(child.stdout)) return line
  throw new Error('it ended without a word')
}

for (const { how, start } of WAYS) {
  test(
    `S3-6: a driver that runs ${how} on the same machine is served by its socket`,
    { timeout: 60_000 },
    async (context: TestContext) => {
      if (how.includes('container') && spawnSync('unshare', [...NAMESPACES, 'true']).status !== 0)
        return context.skip('this process may not make namespaces')
      const directory = await openClusterDirectory(context)
      await mkdir(join(directory, 'socket'))
      const other = start(directory)
      context.after(() => other.kill('SIGKILL'))
      match(await firstLine(other), /^ready unix:\/\/.*csi\.sock driver=other\.example\.com/)

      const up = await startUp(
        join(directory, 'cluster'),
        `--driver=unix://${join(directory, 'socket/csi.sock')}`,
        '--no-bundled-driver',
      )
      await createClaim(up.api, 'data')
      const { metadata } = await createPod(up.api, 'web', 'data')
      const { volumes } = await up.until(({ pods }) => pods[0]?.status?.phase === 'Running')
      equal(volumes[0]?.spec.csi?.driver, DRIVER)
      const file = join(
        directory,
        'cluster/node-1/pods',
        metadata.uid ?? '',
        'volumes/kubernetes.io~csi',
        volumes[0]?.metadata.name ?? '',
        'mount',
        'hello',
      )
      await writeFile(file, 'world')
      // In the driver's own data, on whichever side of the namespaces.
      equal(await readFile(file, 'utf8'), 'world')
      await deletePod(up.api, 'web')
      await up.api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: 'data' })
      await up.until(
        (seen) => seen.pods.length + seen.claims.length + seen.volumes.length + seen.attachments.length === 0,
      )
      equal(await up.stop(), 0)
    },
  )
}
