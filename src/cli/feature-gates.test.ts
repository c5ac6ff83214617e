import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { Api } from '../api/api.ts'
import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import type { CSIDriver, CSIDriverSpec } from '../api/kinds/csi-driver.ts'
import { EVENTS } from '../api/kinds/event.ts'
import { PODS } from '../api/kinds/pod.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../api/kinds/rbac.ts'
import type { ClusterRole } from '../api/kinds/rbac.ts'
import { VOLUME_ATTACHMENTS } from '../api/kinds/volume-attachment.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import { createClaim, createPod } from '../cluster/testing/describe-cluster.ts'
import { openClusterDirectory } from '../cluster/testing/describe-up.ts'
import { ALPHA_CSI_DRIVERS } from '../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriverSpec } from '../compat/alpha-csi-driver.ts'
import { openTestDirectory } from '../csi/testing/open-test-directory.ts'
import { startCommand } from './testing/cli-under-test.ts'
import type { RunningCommand } from './testing/cli-under-test.ts'
import { connectTo, openCommands, untilObject } from './testing/driver-under-test.ts'

const LIMIT = { timeout: 60_000 }
const BUNDLED = 'hostpath.holdfast.dev'
const WITHOUT_TOKENS = '--feature-gates=CSIServiceAccountToken=false'
const TOKENS: CSIDriverSpec = {
  tokenRequests: [{ audience: 'vault' }],
  requiresRepublish: true,
  serviceAccountTokenInSecrets: false,
}
const TOKEN_KEY = /csi\.storage\.k8s\.io\/serviceAccount\.tokens/

const csiDriver = (name: string, spec: CSIDriverSpec): CSIDriver => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name },
  spec,
})
const createSeed = (api: Api, name: string, spec: AlphaCSIDriverSpec) =>
  api.create(ALPHA_CSI_DRIVERS, {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSIDriver',
    metadata: { name },
    spec,
  })
type Run = ReturnType<typeof openCommands>
const tokenFields = ({ spec }: CSIDriver) => [
  spec.tokenRequests,
  spec.requiresRepublish,
  spec.serviceAccountTokenInSecrets,
]

describe('--feature-gates', () => {
  for (const command of ['apiserver', 'controllers', 'node', 'up']) {
    test(`S4-37, H10, H67: holdfast ${command} knows both gates, and lists them for one that it does not know`, async (context) => {
      const run = startCommand(context, [command, '--feature-gates=CSIServiceAccountTokens=false'])
      equal(await run.ended, 2)
      match(
        run.err(),
        /--feature-gates: unrecognized feature gate: "CSIServiceAccountTokens"\. Did you mean CSIServiceAccountToken\? Known gates: CSIServiceAccountToken, CSISkipAttach, /,
      )
      const help = startCommand(context, [command, '--help'])
      equal(await help.ended, 0)
      match(help.out().replaceAll(/\s+/g, ' '), /CSIServiceAccountToken=true \(GA\), CSISkipAttach=true \(GA\)/)
    })
  }
})

describe('holdfast apiserver', () => {
  const open = async (
    context: TestContext,
    run: Run,
    data: string,
    ...flags: string[]
  ): Promise<{ api: Api; server: RunningCommand }> => {
    const kubeconfig = join(data, 'kubeconfig')
    const server = run([
      'apiserver',
      `--data=${join(data, 'state')}`,
      '--port=0',
      `--kubeconfig=${kubeconfig}`,
      ...flags,
    ])
    await server.untilOut(/^ready /)
    return { api: await connectTo(context, kubeconfig), server }
  }

  test(
    'S4-34, S4-37, S4-40, H67: with the gate off drops the fields of new objects, keeps those in use, and takes them again when it is on',
    LIMIT,
    async (context) => {
      const run = openCommands(context)
      const data = await openTestDirectory(context)
      const on = await open(context, run, data)
      deepEqual(tokenFields(await on.api.create(CSI_DRIVERS, csiDriver('old.example.com', TOKENS))), [
        [{ audience: 'vault' }],
        true,
        false,
      ])
      await on.server.stop()

      const off = await open(context, run, data, WITHOUT_TOKENS)
      deepEqual(tokenFields(await off.api.create(CSI_DRIVERS, csiDriver('new.example.com', TOKENS))), [
        undefined,
        undefined,
        undefined,
      ])
      const value = { spec: { tokenRequests: [{ audience: 'other' }], requiresRepublish: true } }
      deepEqual(tokenFields(await off.api.patch(CSI_DRIVERS, { name: 'new.example.com' }, { type: 'merge', value })), [
        undefined,
        undefined,
        undefined,
      ])
      deepEqual(tokenFields(await off.api.patch(CSI_DRIVERS, { name: 'old.example.com' }, { type: 'merge', value })), [
        [{ audience: 'other' }],
        true,
        false,
      ])
      deepEqual(
        (
          await createSeed(off.api, 'new', {
            driver: 'new',
            serviceAccountTokens: [{ audience: 'vault' }],
            requiresRemount: true,
          })
        ).spec,
        { driver: 'new' },
      )
      await off.server.stop()

      const again = await open(context, run, data)
      deepEqual(
        tokenFields(await again.api.patch(CSI_DRIVERS, { name: 'new.example.com' }, { type: 'merge', value })),
        [[{ audience: 'other' }], true, undefined],
      )
    },
  )
})

/** Gives the user `registry` the rights of the example manifest. */
async function allowRegistry(api: Api): Promise<void> {
  const RBAC = 'rbac.authorization.k8s.io'
  const roles = parseAllDocuments(
    readFileSync(join(import.meta.dirname, '../../examples/driver-registry/rbac.yaml'), 'utf8'),
  ).map((document) => document.toJS() as ClusterRole)
  const role = roles.find(({ metadata }) => metadata.name === 'holdfast-registry')
  if (!role) throw new Error('the manifest has no role of the registry')
  await api.create(CLUSTER_ROLES, role)
  await api.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'registry' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'holdfast-registry' },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: 'registry' }],
  })
}

describe('holdfast controllers', () => {
  test('S4-37, H10, H67: with the gates off mirrors no tokens and always attaches', LIMIT, async (context) => {
    const server = await startTestServer()
    context.after(() => server[Symbol.asyncDispose]())
    const api = await connectTo(context, server.kubeconfigPath)
    const kubeconfig = join(server.directory, 'controllers.kubeconfig')
    await writeFile(kubeconfig, await server.kubeconfigFor('registry', []), { mode: 0o600 })
    await allowRegistry(api)
    const command = startCommand(context, [
      'controllers',
      `--kubeconfig=${kubeconfig}`,
      '--controllers=registry',
      '--leader-election=false',
      `${WITHOUT_TOKENS},CSISkipAttach=false`,
    ])
    await command.untilOut(/^ready /m)
    await createSeed(api, 'd', {
      driver: 'd.example.com',
      serviceAccountTokens: [{ audience: 'vault' }],
      requiresRemount: true,
      attachRequired: false,
    })
    const { spec } = await untilObject(api, CSI_DRIVERS, ({ metadata }) => metadata.name === 'd.example.com')
    deepEqual([spec.tokenRequests, spec.requiresRepublish, spec.attachRequired], [undefined, false, true])
  })
})

describe('holdfast up', () => {
  const start = async (
    context: TestContext,
    run: Run,
    data: string,
    ...flags: string[]
  ): Promise<{ up: RunningCommand; api: Api }> => {
    const up = run(['up', `--data=${data}`, '--trace-csi', ...flags])
    await up.untilOut(/^ready/m)
    return { up, api: await connectTo(context, join(data, 'kubeconfig')) }
  }
  // `up` has made one already.
  const replaceDriver = async (api: Api, driver: CSIDriver): Promise<void> => {
    await api.delete(CSI_DRIVERS, { name: BUNDLED })
    await api.create(CSI_DRIVERS, driver)
  }
  const runPod = async (api: Api, name: string): Promise<void> => {
    await createClaim(api, name)
    await createPod(api, name, name)
    await untilObject(api, PODS, ({ metadata, status }) => metadata.name === name && status?.phase === 'Running')
  }

  test(
    'S4-34, S4-37, S4-38, S4-40, H67: switched off and on again by a restart, tokens are left out and come back',
    LIMIT,
    async (context) => {
      const run = openCommands(context)
      const data = await openClusterDirectory(context)
      const on = await start(context, run, data)
      await replaceDriver(on.api, csiDriver(BUNDLED, { tokenRequests: [{ audience: 'vault' }] }))
      await runPod(on.api, 'first')
      match(on.up.err(), TOKEN_KEY)
      equal(await on.up.stop(), 0)

      const off = await start(context, run, data, WITHOUT_TOKENS)
      await runPod(off.api, 'second')
      match(off.up.err(), /NodePublishVolume/)
      ok(!TOKEN_KEY.test(off.up.err()), 'a token was passed')
      equal((await off.api.get(CSI_DRIVERS, { name: BUNDLED })).spec.tokenRequests?.length, 1)
      equal(await off.up.stop(), 0)

      const again = await start(context, run, data)
      await runPod(again.api, 'third')
      match(again.up.err(), TOKEN_KEY)
    },
  )

  test('H10: without CSISkipAttach a volume is attached whatever the CSIDriver says', LIMIT, async (context) => {
    const run = openCommands(context)
    const data = await openClusterDirectory(context)
    const { up, api } = await start(context, run, data, '--feature-gates=CSISkipAttach=false')
    await replaceDriver(api, csiDriver(BUNDLED, { attachRequired: false }))
    // The bundled driver refuses to publish a volume that is not attached.
    await createClaim(api, 'web')
    await createPod(api, 'web', 'web')
    const first = await Promise.race([
      untilObject(api, PODS, ({ status }) => status?.phase === 'Running').then(() => 'running'),
      untilObject(
        api,
        EVENTS,
        ({ involvedObject, reason }) => involvedObject.kind === 'Pod' && reason === 'FailedMount',
      ).then(({ message }) => message),
    ])
    equal(first, 'running')
    equal((await api.list(VOLUME_ATTACHMENTS)).items.length, 1)
    equal(await up.stop(), 0)
  })
})
