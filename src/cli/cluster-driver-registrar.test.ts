import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import type { Api } from '../api/api.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { openTestCore } from '../apiserver/testing/open-test-core.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import type { TestServer } from '../apiserver/testing/start-test-server.ts'
import { createSystemClock } from '../base/clock.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSystemRandom } from '../base/random.ts'
import { ALPHA_CSI_DRIVERS } from '../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../compat/alpha-csi-driver.ts'
import { startRegistry } from '../controllers/registry/index.ts'
import { defineDriver } from '../csi/kit/index.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { serveTest } from '../csi/testing/start-test-driver.ts'
import { createEventRecorder } from '../kube/controller/event-recorder.ts'
import { createInformers } from '../kube/cache/informers.ts'
import { parseArguments } from '../base/options/index.ts'
import { startCommand } from './testing/cli-under-test.ts'
import { COMMANDS } from './commands.ts'

const DRIVER = 'csi.example.com'
const DOCS = join(import.meta.dirname, '../../docs')
const PAGE = readFileSync(join(DOCS, 'driver-registry.md'), 'utf8')
const wordsOf = (text: string): string => text.replaceAll(/ +/g, ' ').trim()
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0

describe('holdfast cluster-driver-registrar', () => {
  let server: TestServer
  let api: Api
  before(async () => {
    server = await startTestServer()
    api = server.server.core.as(SYSTEM_USER)
  })
  after(() => server[Symbol.asyncDispose]())
  const untilAlpha = async (holds: (driver: AlphaCSIDriver) => boolean): Promise<void> => {
    for await (const event of api.watch(ALPHA_CSI_DRIVERS))
      if (event.type !== 'BOOKMARK' && event.type !== 'DELETED' && holds(event.object)) return
  }
  const kubectl = async (...words: string[]): Promise<string> =>
    (
      await promisify(execFile)('kubectl', words, {
        env: { ...process.env, KUBECONFIG: server.kubeconfigPath, HOME: server.directory },
      })
    ).stdout

  test('S1-2, S1-3, S1-23: a driver makes itself known, kubectl lists it in both ways, and it is told when it ends', async (context) => {
    const [clock, random, log] = [createSystemClock(), createSystemRandom(), createSilentLogger()]
    const informers = createInformers({ api, clock, random, log })
    const events = createEventRecorder({ api, clock, log, component: 'registry' })
    const registry = await startRegistry(
      { crdCheckMs: 600_000, statusIntervalMs: 10, nodeAccess: false },
      { api, informers, events, clock, random, log },
      new AbortController().signal,
    )
    context.after(async () => {
      await registry.stop()
      await informers.stop()
    })
    const path = join(await openTestDirectory(context), 'csi.sock')
    await serveTest(context, path, defineDriver({ name: DRIVER, version: '1' }, { handlers: {}, log }))
    const words = [
      `--csi-address=${path}`,
      `--kubeconfig=${server.kubeconfigPath}`,
      '-pod-info-mount-version=v1',
      '--connection-timeout=10s',
    ]
    const command = startCommand(context, ['cluster-driver-registrar', ...words])
    await command.untilOut(/^ready unix:\/\/.*csi\.sock driver=csi\.example\.com/m)
    await api.create(CSI_NODES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'node-1' },
      spec: { drivers: [{ name: DRIVER, nodeID: 'n', topologyKeys: null }] },
    })
    await untilAlpha(({ status }) => status?.ready === true && status.nodes === 1)

    const { spec, metadata } = await api.get(CSI_DRIVERS, { name: DRIVER })
    deepEqual([spec.attachRequired, spec.podInfoOnMount], [false, true])
    equal(metadata.annotations?.['holdfast.dev/mirror-of'], undefined)
    if (hasKubectl) {
      const [shown, shownInRegistry] = [
        await kubectl('get', 'csidrivers'),
        await kubectl('get', 'csidrivers.csi.storage.k8s.io'),
      ]
      match(shown, /^NAME +ATTACHREQUIRED +PODINFOONMOUNT .*\ncsi\.example\.com +false +true /)
      match(
        shownInRegistry,
        /^NAME +DRIVER +ATTACH +PODINFO +READY +NODES +AGE\ncsi\.example\.com +csi\.example\.com +false +true +1 +\d+s\n$/,
      )
      for (const output of [shown, shownInRegistry])
        ok(wordsOf(PAGE).includes(wordsOf(output.split('\n')[0] ?? '')), `the page shows other columns than ${output}`)
    } else context.diagnostic('there is no kubectl on PATH: what it shows was not looked at')

    equal(await command.stop(), 0)
    await untilAlpha(({ status }) => status?.ready === false)
  })

  test('an unknown version of pod data is a mistake', async (context) => {
    const command = startCommand(context, ['cluster-driver-registrar', '--pod-info-mount-version=v2'])
    equal(await command.ended, 2)
    match(command.err(), /--pod-info-mount-version: the only version is v1/)
  })
})

describe('docs/driver-registry.md', () => {
  const blocks = Array.from(
    PAGE.matchAll(/```yaml\n([^]*?)```/g),
    ([, text = '']) => parse(text) as { kind?: string; containers?: { args: string[] }[] },
  )

  test('has the object that is in the examples, and the server takes it', async (context) => {
    const example = parse(
      readFileSync(join(DOCS, '../examples/driver-registry/csidriver.yaml'), 'utf8'),
    ) as AlphaCSIDriver
    deepEqual(
      blocks.find(({ kind }) => kind === 'CSIDriver'),
      example,
    )
    const { api } = await openTestCore(context)
    deepEqual((await api.create(ALPHA_CSI_DRIVERS, example, { fieldValidation: 'Strict' })).spec, example.spec)
  })

  test('S3-128: has a container whose arguments the command takes', async () => {
    const [name = '', ...words] = blocks.flatMap(({ containers = [] }) => containers)[0]?.args ?? []
    const module = await COMMANDS[name]?.()
    ok(module, `${name} is no command`)
    equal(parseArguments(module.command, words).kind, 'run')
  })

  test('S1-29: says that a driver has to be changed before a downgrade', () => {
    match(PAGE, /## Going back\n[^]*before you downgrade a cluster[^]*change the driver too/)
  })
})
