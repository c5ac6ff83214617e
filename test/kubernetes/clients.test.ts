import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ROOT, run } from '../../scripts/run.ts'
import { describeKubectl } from '../../src/apiserver/testing/describe-kubectl.ts'
import { buildPeer, peersDirectory } from './peers.ts'
import type { PeerName } from './peers.ts'
import { startLogged } from './start-logged.ts'
import type { LoggedProgram } from './start-logged.ts'

// Clients of other people, on a server of Holdfast. The kubectl on the PATH and @kubernetes/client-node are tested by `npm test`.
const PYTHON_CLIENT = 'kubernetes==37.0.2'
const DEBIAN_KUBECTL = await findDebianKubectl()
const PYTHON = await findPythonClient()

describeKubectl(await buildPeer('kubectl'))
if (DEBIAN_KUBECTL.path !== undefined) describeKubectl(DEBIAN_KUBECTL.path)
else test('kubectl 1.20', { skip: DEBIAN_KUBECTL.missing }, () => {})

describe('on holdfast up', () => {
  let up: LoggedProgram
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-clients-'))
  const kubeconfig = join(directory, 'kubeconfig')

  before(async () => {
    const main = join(ROOT, 'src/cli/main.ts')
    const options = ['--in-memory', `--data=${directory}/data`, `--kubeconfig=${kubeconfig}`]
    up = startLogged(process.execPath, [main, 'up', ...options], join(directory, 'up.log'))
    await up.ready
  })
  after(async () => {
    await up.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  for (const peer of ['helm', 'helm4'] as const)
    test(`${peer === 'helm' ? 'Helm 3' : 'Helm 4'} installs, upgrades with --wait, rolls back and uninstalls`, () =>
      checkHelm(peer, kubeconfig, directory))

  test("Kubernetes' client for Python", { skip: PYTHON.missing ?? false }, async () => {
    const script = join(import.meta.dirname, 'clients/python_client.py')
    const { code, stdout, stderr } = await run(PYTHON.path ?? '', [script, kubeconfig])
    assert.equal(code, 0, stderr.slice(-3000))
    assert.match(stdout, /^done$/m)
  })
})

async function checkHelm(peer: PeerName, kubeconfig: string, directory: string): Promise<void> {
  const program = await buildPeer(peer)
  const env = { KUBECONFIG: kubeconfig, HOME: join(directory, peer) }
  const command = async (path: string, args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(path, args, { env })
    assert.equal(code, 0, `${args.join(' ')}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`)
    return stdout
  }
  const helm = (...args: string[]): Promise<string> => command(program, args)
  const kubectl = (...args: string[]): Promise<string> => command('kubectl', args)
  const release = `web-${peer}`
  const chart = join(import.meta.dirname, 'clients/chart')
  const wait = ['--wait', '--timeout=120s']
  const shown = (): Promise<string> =>
    kubectl(
      'get',
      'deployment',
      release,
      '-o=jsonpath={.spec.template.spec.containers[0].image} {.status.readyReplicas}',
    )

  await helm('install', release, chart, ...wait)
  assert.equal(await shown(), 'web:1 1')
  assert.equal(await kubectl('get', 'pvc', release, '-o=jsonpath={.status.phase}'), 'Bound')
  await helm('upgrade', release, chart, '--set=image=web:2', '--set=replicas=2', ...wait)
  assert.equal(await shown(), 'web:2 2')
  assert.equal(await kubectl('get', 'configmap', release, '-o=jsonpath={.data.image}'), 'web:2')
  await helm('rollback', release, '1', ...wait)
  assert.equal(await shown(), 'web:1 1')
  const revisions = JSON.parse(await helm('history', release, '-o=json')) as { status: string }[]
  assert.deepEqual(
    revisions.map(({ status }) => status),
    ['superseded', 'superseded', 'deployed'],
  )
  await helm('uninstall', release, ...wait)
  assert.equal(await kubectl('get', 'deployment,pvc,configmap,service', `-l=app=${release}`, '-o=name'), '')
  assert.doesNotMatch(
    await kubectl('get', 'deployment,pvc,configmap,service', '-o=name'),
    new RegExp(`${release}$`, 'm'),
  )
}

type Found =
  | { readonly path: string; readonly missing?: undefined }
  | { readonly path?: undefined; readonly missing: string }

/** Debian's kubectl, from its package. It is not installed: it would replace another one. */
async function findDebianKubectl(): Promise<Found> {
  const folder = join(peersDirectory(), 'debian-kubectl')
  const path = join(folder, 'usr/bin/kubectl')
  if (!existsSync(path)) {
    const unpacked = `${folder}.${process.pid}`
    mkdirSync(unpacked, { recursive: true })
    const script = 'apt-get download kubernetes-client && dpkg -x kubernetes-client_*.deb .'
    const { code, stderr } = await run('sh', ['-c', script], { cwd: unpacked })
    if (code === 0) renameSync(unpacked, folder)
    else {
      rmSync(unpacked, { recursive: true, force: true })
      return { missing: `Debian's package kubernetes-client cannot be downloaded: ${stderr.trim().split('\n')[0]}` }
    }
  }
  const { stdout } = await run(path, ['version', '--client'])
  return /v1\.20\./.test(stdout)
    ? { path }
    : { missing: `Debian's package kubernetes-client has another version: ${stdout}` }
}

/** A Python that has Kubernetes' client. */
async function findPythonClient(): Promise<Found> {
  const folder = join(peersDirectory(), `python-${PYTHON_CLIENT.replace('==', '-')}`)
  const path = join(folder, 'bin/python')
  if (existsSync(path)) return { path }
  for (const [command, args] of [
    ['python3', ['-m', 'venv', folder]],
    [path, ['-m', 'pip', 'install', '--quiet', PYTHON_CLIENT]],
  ] as const) {
    const { code, stderr } = await run(command, args)
    if (code === 0) continue
    rmSync(folder, { recursive: true, force: true })
    return { missing: `${command} ${args.join(' ')} failed: ${stderr.trim().split('\n').at(-1)}` }
  }
  return { path }
}
