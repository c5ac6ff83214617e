import { deepEqual, equal, match } from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import { createClaim, createPod, NAMESPACE } from '../cluster/testing/describe-cluster.ts'
import { openClusterDirectory, startUp } from '../cluster/testing/describe-up.ts'
import type { PodVolumePath } from '../node/index.ts'
import { startCommand } from './testing/cli-under-test.ts'

const LIMIT = { timeout: 60_000 }

describe('holdfast path', () => {
  test('prints where the volumes of a pod are mounted, and says what is not', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const { api, until } = await startUp(directory, '--zones=a')
    const path = async (...words: string[]) => {
      const command = startCommand(context, ['path', ...words], {
        env: { KUBECONFIG: join(directory, 'kubeconfig') },
      })
      return { code: await command.ended, out: command.out(), err: command.err() }
    }
    await createClaim(api, 'data')
    await createClaim(api, 'more')
    await createPod(api, 'web', 'data', {
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'more', persistentVolumeClaim: { claimName: 'more' } },
        { name: 'scratch', csi: { driver: 'hostpath.holdfast.dev' } },
        { name: 'unused', emptyDir: {} },
      ],
      containers: [
        {
          name: 'main',
          image: 'none',
          volumeMounts: [
            { name: 'data', mountPath: '/data' },
            { name: 'more', mountPath: '/more' },
            { name: 'scratch', mountPath: '/scratch' },
          ],
        },
      ],
    })
    await createPod(api, 'alone', 'data')
    await createPod(api, 'lost', 'missing')
    await until(({ pods }) => pods.filter(({ status }) => status?.phase === 'Running').length === 2)
    equal((await api.get(NODES, { name: 'node-1' })).metadata.labels?.['topology.kubernetes.io/zone'], 'a')

    const one = await path('pod/alone', '-n', NAMESPACE)
    deepEqual([one.code, one.err], [0, ''])
    equal((await stat(one.out.trimEnd())).isDirectory(), true)

    const all = await path('web', '-n', NAMESPACE)
    equal(all.code, 0)
    match(all.out, /^data {5}\/.*\nmore {5}\/.*\nscratch {2}\/.*\n$/)
    const shared = /^data +(.*)$/m.exec(all.out)?.[1] ?? ''
    await writeFile(join(shared, 'note'), 'from web')
    equal(await readFile(join(one.out.trimEnd(), 'note'), 'utf8'), 'from web')

    const json = await path('pod', 'web', '--volume=more', '-n', NAMESPACE, '-o', 'json')
    const [entry] = JSON.parse(json.out) as PodVolumePath[]
    deepEqual(
      [entry?.volume, entry?.claim, entry?.containerPaths, entry?.isMounted, entry?.mode],
      ['more', 'more', ['/more'], true, 'Filesystem'],
    )

    await api.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: NAMESPACE, name: 'plain' },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'none' }] },
    })
    const failing: [words: readonly string[], code: number, err: RegExp][] = [
      [['pod/none'], 1, /^holdfast: Pod none in namespace default does not exist\n$/],
      [['pvc/data'], 2, /is not a pod; write for example pod\/web/],
      [['pod/lost', '-n', NAMESPACE], 1, /Pod lost is not on a node yet; holdfast why pod\/lost -n .* shows what/],
      [['pod/plain', '-n', NAMESPACE], 1, /Pod plain uses no volumes of CSI drivers\n$/],
      [
        ['pod/web', '--volume=unused', '-n', NAMESPACE],
        1,
        /Pod web uses no volume "unused" of a CSI driver; its volumes are data, more, scratch\n$/,
      ],
      [['pod/web', '--root-dir=/no/such', '-n', NAMESPACE], 1, /\/no\/such does not exist: node node-1 is on another/],
      [
        ['pod/web', `--root-dir=${directory}`, '-n', NAMESPACE],
        1,
        /^holdfast: volume data is not mounted; holdfast why/,
      ],
    ]
    for (const [words, code, err] of failing) {
      const ended = await path(...words)
      deepEqual([ended.code, ended.out], [code, ''], words.join(' '))
      match(ended.err, err)
    }
  })
})

describe('the port of holdfast up', () => {
  const portOf = (text: string): number => Number(/^ready https:\/\/127\.0\.0\.1:(\d+) /m.exec(text)?.[1])
  const up = async (context: TestContext, directory: string): Promise<{ port: number; err: string }> => {
    const command = startCommand(context, ['up', `--data=${directory}`])
    await command.untilOut(/^ready/m)
    equal(await command.stop(), 0)
    return { port: portOf(command.out()), err: command.err() }
  }

  test('stays the same, unless another program is using it', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const { port } = await up(context, directory)
    deepEqual(await up(context, directory), { port, err: '' })
    const other = createServer().listen(port, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    context.after(() => other.listening && void other.close())
    const moved = await up(context, directory)
    equal(moved.port === port, false)
    match(moved.err, /the port is in use by another program, using a free one/)
    await new Promise((resolve) => other.close(resolve))
    equal((await up(context, directory)).port, moved.port)
  })
})
