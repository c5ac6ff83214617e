import { deepEqual, equal, match } from 'node:assert/strict'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemHost } from '../base/host/index.ts'
import { openClusterDirectory } from '../cluster/testing/describe-up.ts'
import { startCommand } from './testing/cli-under-test.ts'
import type { World } from './world.ts'

const LIMIT = { timeout: 60_000 }

type Ended = { code: number; out: string; err: string }

async function run(
  context: TestContext,
  words: readonly string[],
  options: Partial<Pick<World, 'ask' | 'env'>> = {},
): Promise<Ended> {
  const command = startCommand(context, words, options)
  return { code: await command.ended, out: command.out(), err: command.err() }
}

/** A cluster that has been there, and was stopped. */
async function leaveCluster(context: TestContext, data: string, ...flags: string[]): Promise<string> {
  const up = startCommand(context, ['up', `--data=${data}`, ...flags])
  await up.untilOut(/^ready/m)
  equal(await up.stop(), 0)
  return up.out()
}

describe('holdfast up', () => {
  const wrong: [behaviour: string, flags: readonly string[], message: RegExp][] = [
    [
      'a zone that no label can have',
      ['--zones=a b'],
      /^holdfast: --zones: "a b" can't be a zone: .*; write for example --zones=a,b,c\n$/,
    ],
    [
      'fewer nodes than zones',
      ['--nodes=2', '--zones=a,b,c,d'],
      /^holdfast: --nodes=2 --zones=a,b,c,d: no node would be in c, d; give at least --nodes=4, or leave --nodes out\n$/,
    ],
    [
      'an empty zone, once',
      ['--zones=,'],
      /^holdfast: --zones: an item of the list is empty; write for example --zones=a,b,c\n$/,
    ],
    [
      'no node at all',
      ['--nodes=0'],
      /^holdfast: --nodes: "0" is too small: the minimum is 1; write for example --nodes=3\n$/,
    ],
    ['a number that is none', ['--nodes=abc'], /^holdfast: --nodes: "abc" is not a whole number; .*\n$/],
    [
      'a port that no machine has',
      ['--port=70000'],
      /^holdfast: --port: "70000" is too large: the maximum is 65535; .*\n$/,
    ],
    [
      'a driver without a socket',
      ['--driver=tcp://somewhere'],
      /^holdfast: --driver: "tcp:\/\/somewhere" is no socket; write --driver=unix:\/\/\/path\/to\/csi.sock .*\n$/,
    ],
    [
      'a driver for no node of the cluster',
      ['--driver=node-7=unix:///tmp/none.sock'],
      /^holdfast: --driver=node-7=.*: there is no node-7; the nodes are node-1, more with --nodes\n$/,
    ],
    [
      'one socket for two nodes',
      ['--nodes=2', '--driver=/tmp/a.sock', '--driver=node-2=unix:///tmp/a.sock'],
      /^holdfast: --driver: "node-2=.*" is given already, and one socket serves one node; .*\n$/,
    ],
    ['an empty variable of the shell', ['--driver='], /^holdfast: --driver: the value is empty; .*\n$/],
    ['an unknown flag', ['--kubecfg=/tmp/x'], /^holdfast: unknown flag --kubecfg; .*\n$/],
  ]
  for (const [behaviour, flags, message] of wrong) {
    test(`is typed wrongly with ${behaviour}: one message, exit code 2, and nothing is made`, async (context) => {
      const directory = await openClusterDirectory(context)
      const { code, out, err } = await run(context, ['up', ...flags], { env: { XDG_DATA_HOME: directory } })
      deepEqual([code, out], [2, ''])
      match(err, message)
      deepEqual(await readdir(directory), [])
    })
  }

  const inTheWay: [behaviour: string, make: (directory: string) => Promise<readonly string[]>, message: RegExp][] = [
    [
      'a file in the place of its data',
      async (at) => (await writeFile(`${at}/file`, ''), [`--data=${at}/file`]),
      /data directory .*\/file: can't make the directory .*\/file: something else has this name; choose another with --data$/,
    ],
    [
      'a file in the place of a part of its data',
      async (at) => (await writeFile(`${at}/node-1`, ''), [`--data=${at}`]),
      /can't make the directory .*\/node-1: something else has this name; choose another directory with --data$/,
    ],
    [
      'a directory where files can not be made',
      () => Promise.resolve(['--data=/proc/holdfast']),
      /data directory \/proc\/holdfast: can't make the directory .*; choose another with --data$/,
    ],
    [
      'no directory for the kubeconfig',
      (at) => Promise.resolve([`--data=${at}/d`, `--kubeconfig=${at}/no/such/file`]),
      /--kubeconfig: directory .*\/no\/such does not exist; create it first$/,
    ],
    [
      'a directory as kubeconfig',
      (at) => Promise.resolve([`--data=${at}/d`, `--kubeconfig=${at}`]),
      /--kubeconfig: .* is a directory; specify a file$/,
    ],
    [
      'a kubeconfig that can not be written',
      (at) => Promise.resolve([`--data=${at}`, '--kubeconfig=/proc/kubeconfig']),
      /can't write a file in \/proc: .*; choose another file with --kubeconfig$/,
    ],
    [
      'a path too long for sockets',
      (at) => Promise.resolve([`--data=${at}/${'x'.repeat(60)}`]),
      /is too long a path: .* and may have 52; choose a shorter one, for example --data=\/tmp\/holdfast$/,
    ],
    [
      'a socket that is no driver',
      async (at) => (await writeFile(`${at}/s`, ''), [`--data=${at}/d`, `--driver=${at}/s`]),
      /--driver unix:.*\/s: this is a file, not a socket$/,
    ],
    [
      'data of a newer version',
      async (at) => (await writeFile(`${at}/cluster.json`, '{"format":9}'), [`--data=${at}`]),
      /cluster\.json was written in format 9, this version knows 1: use the newer version$/,
    ],
    [
      'volumes of a newer version',
      async (at) => (
        await mkdir(`${at}/volumes`),
        await writeFile(`${at}/volumes/holdfast-hostpath.json`, '{"format":9}'),
        [`--data=${at}`]
      ),
      /volumes was written in format 9, this version knows 1: use the newer version$/,
    ],
    [
      'objects of a newer version',
      newerObjects,
      /state\.db was written in format 9, this version knows 2: use the newer version$/,
    ],
  ]
  for (const [behaviour, make, message] of inTheWay) {
    test(`fails with ${behaviour}: one message that says what to do, and exit code 1`, LIMIT, async (context) => {
      const directory = await openClusterDirectory(context)
      const { code, out, err } = await run(context, ['up', ...(await make(directory))])
      deepEqual([code, out, err.split('\n').length], [1, '', 2])
      match(err.trimEnd(), message)
    })
  }

  test('says who is in the way when its port is taken', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const server = createServer().listen(0, '127.0.0.1')
    context.after(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const { code, err } = await run(context, ['up', `--data=${directory}`, `--port=${port}`])
    deepEqual(
      [code, err],
      [
        1,
        `holdfast: can't listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}; choose another with --port, or 0 for any\n`,
      ],
    )
  })

  test('is refused on data that another one uses, however its path is written', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const up = startCommand(context, ['up', `--data=${directory}/cluster`])
    await up.untilOut(/^ready/m)
    await symlink(`${directory}/cluster`, `${directory}/link`)
    const { code, err } = await run(context, ['up', `--data=${directory}/link`])
    deepEqual(
      [code, err],
      [
        1,
        `holdfast: data directory ${directory}/link: is in use by another holdfast process: stop it, or choose another directory\n`,
      ],
    )
    equal(await up.stop(), 0)
  })

  test('shows what it starts, then what to type, and nothing else', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const up = startCommand(context, ['up', `--data=${directory}/it's here`, '--zones=a,b'])
    await up.untilOut(/^ready/m)
    match(
      up.out(),
      /^ {2}API server +https:.*\n {2}driver hostpath\.holdfast\.dev on node-1, zone a +unix:.*\n {2}driver hostpath\.holdfast\.dev on node-2, zone b +unix:/,
    )
    const block = `  data is kept in ${directory}/it's here\n\n  export KUBECONFIG='${directory}/it'\\''s here/kubeconfig'\n  kubectl apply -f examples/claim.yaml\n`
    equal(
      up
        .out()
        .includes(
          `${block}  kubectl get pods,persistentvolumeclaims,volumeattachments\n  npx holdfast why pod/web\n\nready https://`,
        ),
      true,
      up.out(),
    )
    equal(up.err(), '')
    equal(await up.stop(), 0)
  })

  test('does not forget the objects of a cluster that keeps them', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    await leaveCluster(context, directory)
    const { code, err } = await run(context, ['up', `--data=${directory}`, '--in-memory'])
    deepEqual(
      [code, err],
      [
        1,
        `holdfast: the cluster in ${directory} stores its objects there, and without them its volumes could not be deleted: leave --in-memory out, or choose another directory with --data\n`,
      ],
    )
  })

  test('has the nodes and zones again that it had, and is never started with fewer', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    await leaveCluster(context, directory, '--nodes=2', '--zones=a,b')
    const fewer = await run(context, ['up', `--data=${directory}`, '--nodes=1'])
    equal(fewer.code, 1)
    match(
      fewer.err,
      /is incompatible: it has 2 nodes, .* leave --nodes out, or set it to at least 2\. To start a new cluster, choose another directory with --data\n$/,
    )
    match(await leaveCluster(context, directory), /on node-2, zone b/)
  })

  test('stops at once while it waits for a driver, and says that it waits', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const up = startCommand(context, ['up', `--data=${directory}`, `--driver=${directory}/none.sock`])
    await up.untilErr(/waiting for a driver/)
    deepEqual([await up.stop(), up.out()], [0, ''])
  })
})

async function newerObjects(directory: string): Promise<readonly string[]> {
  await mkdir(join(directory, 'apiserver'))
  using database = new DatabaseSync(join(directory, 'apiserver/state.db'))
  database.exec(`PRAGMA application_id = ${0x484f4c44}; PRAGMA user_version = 9`)
  return [`--data=${directory}`]
}

describe('holdfast down', () => {
  test('asks, and removes only when it is told yes', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const data = join(directory, 'cluster')
    await leaveCluster(context, data)
    for (const answer of ['n', 'y', '']) {
      const { code, out } = await run(context, ['down', `--data=${data}`], { ask: () => Promise.resolve(answer) })
      deepEqual([code, out], [1, 'nothing was deleted\n'])
    }
    const nobody = await run(context, ['down', `--data=${data}`])
    deepEqual(
      [nobody.code, nobody.err],
      [1, 'holdfast: there is no terminal to ask for confirmation: use --yes to delete without confirmation\n'],
    )
    const { code, out } = await run(context, ['down', `--data=${data}`], { ask: () => Promise.resolve('Yes') })
    deepEqual([code, out], [0, `deleted the cluster in ${data} with all its volumes and objects\n`])
    deepEqual(await readdir(directory), [])
    deepEqual(await run(context, ['down', `--data=${data}`]), {
      code: 0,
      out: `${data} is not there: nothing to do\n`,
      err: '',
    })
  })

  test('leaves alone what is not of the cluster, and follows a link to the data', LIMIT, async (context) => {
    const directory = await openClusterDirectory(context)
    const data = join(directory, 'cluster')
    await leaveCluster(context, data)
    await writeFile(join(data, 'thesis.txt'), 'precious')
    await symlink(data, join(directory, 'link'))
    const { code, out } = await run(context, ['down', `--data=${directory}/link`, '--yes'])
    equal(code, 0)
    match(out, /^deleted .*\nleft in .*\/link, not of the cluster: thesis\.txt\n$/)
    deepEqual(await readdir(data), ['thesis.txt'])
    equal(await readFile(join(data, 'thesis.txt'), 'utf8'), 'precious')
  })

  test('never takes the default for an empty variable of the shell, or a directory of somebody for a cluster', async (context) => {
    const directory = await openClusterDirectory(context)
    deepEqual(await run(context, ['down', '--data=', '--yes'], { env: { XDG_DATA_HOME: directory } }), {
      code: 2,
      out: '',
      err: 'holdfast: --data: the value is empty; specify a directory\n',
    })
    await writeFile(join(directory, 'kubeconfig'), '')
    const { code, err } = await run(context, ['down', `--data=${directory}`, '--yes'])
    deepEqual(
      [code, err],
      [1, `holdfast: ${directory} contains no data of a cluster that was started with up. Nothing was deleted\n`],
    )
    deepEqual(await readdir(directory), ['kubeconfig'])
  })
})

test('a file system that can be read only is told as such', LIMIT, async (context) => {
  const host = createSystemHost()
  if (!(await host.mounts.available())) return context.skip('needs the right to mount')
  const directory = await openClusterDirectory(context)
  await host.files.makeDirectory(`${directory}/data`, 0o700)
  await host.mounts.bind(`${directory}/data`, `${directory}/data`, { readOnly: true })
  const { code, err } = await run(context, ['up', `--data=${directory}/data`])
  deepEqual(
    [code, err],
    [
      1,
      `holdfast: can't write a file in ${directory}/data: the file system is read-only; choose another directory with --data\n`,
    ],
  )
})
