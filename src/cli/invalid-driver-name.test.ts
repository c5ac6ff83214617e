import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { LEASES } from '../api/kinds/lease.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import type { TestServer } from '../apiserver/testing/start-test-server.ts'
import type { CsiMethod } from '../csi/rpc.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { answerOf, startRawDriver } from '../csi/testing/start-raw-driver.ts'
import { startCommand } from './testing/cli-under-test.ts'

// Every command that works for a driver, as a user starts it, with a driver on a real socket whose name could lead out of a directory.

const NAME = '../../etc/cron d'
const QUESTIONS: readonly CsiMethod[] = ['probe', 'getPluginInfo']

/** The words of each command, and whether it ends: those that wait for a driver wait for a better one, as the node agent does. */
const commands: [
  command: string,
  words: (paths: { kubeconfig: string; directory: string }) => string[],
  ends: boolean,
][] = [
  ['sidecar', ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`, '--leader-election'], false],
  ['csi-attacher', ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`, '--leader-election'], false],
  ['csi-provisioner', ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`, '--leader-election'], false],
  ['cluster-driver-registrar', ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`], false],
  ['csi-attacher', ({ kubeconfig }) => [`--kubeconfig=${kubeconfig}`, '--exit-on-driver-loss'], true],
  [
    'node-driver-registrar',
    ({ directory }) => ['--kubelet-registration-path=/csi/csi.sock', `--plugin-registration-path=${directory}`],
    true,
  ],
  ['livenessprobe', () => ['--http-endpoint=127.0.0.1:0'], true],
]

describe('a driver with an invalid name', () => {
  let server: TestServer
  before(async () => void (server = await startTestServer()))
  after(() => server[Symbol.asyncDispose]())

  for (const [name, words, ends] of commands) {
    test(`S3-12, H29: is refused by ${name}${ends ? ', which ends' : ''}`, async (context) => {
      const directory = await openTestDirectory(context)
      const path = join(directory, 'csi.sock')
      const driver = await startRawDriver(context, path, (method) =>
        answerOf(method, method === 'getPluginInfo' ? { name: NAME, vendorVersion: '1' } : {}),
      )
      const command = startCommand(context, [
        name,
        `--csi-address=${path}`,
        ...words({ kubeconfig: server.kubeconfigPath, directory }),
      ])
      // Those that wait ask again, and refuse again. One that is ready has taken the name.
      const isReady = command.untilOut(/^ready/m)
      isReady.catch(() => {})
      await Promise.race([
        ends
          ? command.ended
          : driver.untilCalled(2, 'getPluginInfo').then(() => command.untilErr(/has an invalid name/)),
        isReady,
      ])
      equal(await command.stop(), ends ? 1 : 0)

      match(
        command.err(),
        /the CSI driver at [^ ]*csi\.sock has an invalid name: GetPluginInfo returned \\*"\.\.\/\.\.\/etc\/cron d\\*": must consist of letters, digits, dashes and dots/,
      )
      ok(!/ready/.test(command.out()), command.out())
      equal(driver.calls(), driver.calls(...QUESTIONS), 'the driver was asked for more than its name')
      const api = server.server.core.as(SYSTEM_USER)
      deepEqual((await api.list(CSI_DRIVERS)).items, [])
      deepEqual((await api.list(LEASES, { namespace: 'default' })).items, [])
    })
  }
})
