import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { existsSync, readFileSync, statSync, watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findResourceType } from '../../src/api/kinds/all-resource-types.ts'
import { EVENTS } from '../../src/api/kinds/event.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import { mountsBelow, openClusterDirectory, startUp } from '../../src/cluster/testing/describe-up.ts'
import { ALPHA_CSI_DRIVERS } from '../../src/compat/alpha-csi-driver.ts'
import { startExample } from '../run-example.ts'
import { readContent, readManifest, TOKEN } from './describe-cluster.ts'

const WEB = { namespace: 'default', name: 'web' }

/** Resolves with the first password at the target that is another one. */
function untilReplaced(target: string, old: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!existsSync(join(target, 'password'))) return
      const { password } = readContent(target)
      if (password === old) return
      watcher.close()
      resolve(password)
    }
    const watcher = watch(target, look)
    look()
  })
}

test(
  'S4-3, S4-8, S4-28, S4-29, S4-33: as processes of their own, as the page has it: the content is replaced, a driver that is stopped and started again goes on in the same mount, and no token is told',
  { timeout: 120_000 },
  async (t) => {
    const directory = await openClusterDirectory(t)
    const up = await startUp(directory, '--trace-csi', '--log-level=debug')
    const root = join(directory, 'node-1')
    const socket = join(root, 'plugins/secrets.example.com/csi.sock')
    await mkdir(dirname(socket), { recursive: true })
    const startDriver = async () => {
      const driver = startExample(t, 'secret-driver/driver.ts', [
        `--endpoint=unix://${socket}`,
        `--kubeconfig=${join(directory, 'kubeconfig')}`,
        '--lease-seconds=1',
      ])
      equal(await driver.firstLine, `ready unix://${socket}`)
      return driver
    }
    const first = await startDriver()
    const flags = [
      `--csi-address=${socket}`,
      `--kubelet-registration-path=${socket}`,
      `--plugin-registration-path=${join(root, 'plugins_registry')}`,
      '--timeout=30s',
    ]
    const registrar = startExample(t, '../src/cli/main.ts', ['node-driver-registrar', ...flags])
    match(await registrar.firstLine, /^ready .*driver=secrets.example.com$/)
    for (const file of ['csidriver-v1alpha1.yaml', 'pod.yaml']) {
      for (const object of readManifest(file))
        await up.api.create(findResourceType(object) ?? ALPHA_CSI_DRIVERS, object as never)
    }
    const { pods } = await up.until((seen) => seen.pods.some(({ status }) => status?.phase === 'Running'))
    const uid = pods[0]?.metadata.uid ?? ''
    const target = join(root, 'pods', uid, 'volumes/kubernetes.io~csi/secrets/mount')
    const { dev, ino } = statSync(target)
    const { password, username } = readContent(target)
    equal(username, 'default/web')
    await untilReplaced(target, password)

    const { err: firstErr, code } = await first.stop()
    equal(code, 0)
    const kept = readContent(target)
    notEqual(kept['password'], password)
    const again = await startDriver()
    notEqual(await untilReplaced(target, kept['password']), kept['password'])
    deepEqual([statSync(target).dev, statSync(target).ino], [dev, ino])
    const pod = await up.api.get(PODS, WEB)
    deepEqual([pod.metadata.uid, pod.status?.phase], [uid, 'Running'])

    await up.api.delete(PODS, WEB)
    await up.until((seen) => seen.pods.length === 0)
    deepEqual(
      (await mountsBelow(directory)).filter((path) => path.startsWith(join(root, 'pods'))),
      [],
    )
    const told = [
      up.errors(),
      firstErr,
      (await again.stop()).err,
      (await registrar.stop()).err,
      JSON.stringify((await up.api.list(EVENTS)).items),
    ]
    match(up.errors(), /NodePublishVolume.*"csi.storage.k8s.io\/serviceAccount.tokens":"\*\*\*stripped\*\*\*"/)
    match(firstErr, /content replaced {2}volume=csi-\w+ {2}namespace=default {2}account=web/)
    deepEqual(
      told.filter((text) => TOKEN.test(text)),
      [],
    )
    equal(await up.stop(), 0)
  },
)

test('S4-13, S4-16, S4-30: docs/service-account-tokens.md shows the manifests as they are, and says what the document leaves to drivers', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/service-account-tokens.md'), 'utf8')
  for (const name of ['csidriver.yaml', 'csidriver-v1alpha1.yaml', 'rbac.yaml']) {
    const manifest = readFileSync(join(import.meta.dirname, name), 'utf8')
    ok(page.includes(`\n\`\`\`yaml\n${manifest}\`\`\`\n`), `the block of ${name} differs from the file`)
  }
  const source = readFileSync(join(import.meta.dirname, 'driver.ts'), 'utf8')
  const handler = /^ {4}nodePublishVolume: [\s\S]*?^ {4}\},\n/m.exec(source)?.[0]
  ok(
    handler && page.includes(handler.replaceAll(/^ {4}/gm, '')),
    'the handler on the page differs from that of driver.ts',
  )
  for (const [, path = ''] of page.matchAll(/\]\((?!https?:)([^)#]+)/g))
    ok(existsSync(join(import.meta.dirname, '../../docs', path)), path)
  for (const words of [/TokenReview/, /only for content that expires/, /revoke/]) match(page, words)
})
