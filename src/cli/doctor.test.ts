import { deepEqual, equal, match } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { defineDriver } from '../csi/kit/index.ts'
import { serveTest } from '../csi/testing/start-test-driver.ts'
import { createRegistrationServer } from '../sidecars/node-registrar/serve-registration.ts'
import { startCommand } from './testing/cli-under-test.ts'

const ROOT = '/var/lib/k0s/kubelet'
const DRIVER = 'csi.example.com'
const SOCKET = `${ROOT}/plugins/${DRIVER}/csi.sock`
const REGISTRATION = `${ROOT}/plugins_registry/${DRIVER}-reg.sock`

/** A node below a directory: a kubelet of k0s, with real sockets. */
async function openNode(context: TestContext) {
  // Short: the path of a socket has at most 107 bytes.
  const root = await mkdtemp(join(tmpdir(), 'hf-'))
  context.after(() => rm(root, { recursive: true, force: true }))
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(root, dirname(path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  await write('/proc/812/comm', 'kubelet\n')
  await write('/proc/812/cmdline', ['/var/lib/k0s/bin/kubelet', `--root-dir=${ROOT}`, '--v=1'].join('\0'))
  await mkdir(join(root, ROOT, 'plugins_registry'), { recursive: true })
  const at = async (path: string): Promise<string> => {
    await mkdir(join(root, dirname(path)), { recursive: true })
    return join(root, path)
  }
  const log = createSilentLogger()
  const driver = async (path = SOCKET, name = DRIVER) =>
    serveTest(context, await at(path), defineDriver({ name, version: '1' }, { handlers: {}, log }))
  const told: (string | undefined)[] = []
  const registrar = async (path = REGISTRATION, endpoint = SOCKET) =>
    serveTest(
      context,
      await at(path),
      createRegistrationServer({
        ...{ driverName: DRIVER, endpoint, requiresPublishPod: false, log },
        onOutcome: (error) => told.push(error),
      }),
    )
  const doctor = async (words: readonly string[] = [], processes?: Record<string, string>) => {
    const host = createSystemHost()
    const run = (_command: string, args: readonly string[]) =>
      Promise.resolve({ exitCode: 0, stdout: processes?.[args.at(-1)?.slice(root.length) ?? ''] ?? '?', stderr: '' })
    const command = startCommand(context, ['doctor', `--root=${root}`, ...words], {
      host: processes ? { ...host, processes: { run } } : host,
    })
    const code = await command.ended
    return { code, out: command.out(), err: command.err() }
  }
  return { root, write, driver, registrar, doctor, told }
}

describe('holdfast doctor', () => {
  test('asks registrar and driver as the kubelet does, and notifies nobody', async (context) => {
    const { driver, registrar, doctor, told } = await openNode(context)
    await driver()
    await registrar()
    deepEqual(await doctor(), {
      code: 0,
      out: `Kubelet directory: ${ROOT} (of process 812)\n  ${REGISTRATION}  ${DRIVER}  ok\n\nEvery CSI driver on this node can be registered.\n`,
      err: '',
    })
    deepEqual(told, [])
    const { problems } = JSON.parse((await doctor(['other.example.com', '--json'])).out) as { problems: object[] }
    equal(problems.length, 1)
  })

  test('finds a driver that is registered with another directory, and is content once it is installed with the right one', async (context) => {
    const { driver, registrar, doctor } = await openNode(context)
    await driver('/var/lib/kubelet/plugins/x/csi.sock')
    await registrar('/var/lib/kubelet/plugins_registry/x-reg.sock', '/var/lib/kubelet/plugins/x/csi.sock')
    const { code, out } = await doctor([DRIVER])
    equal(code, 3)
    match(out, /1\. Driver csi\.example\.com is registered with \S+x-reg\.sock, but the kubelet uses \/var\/lib\/k0s/)
    await driver()
    await registrar()
    equal((await doctor([DRIVER])).code, 0)
  })

  test('finds a registrar that has ended without removing its socket, and is content once it is running again', async (context) => {
    const { root, driver, doctor, registrar } = await openNode(context)
    await driver()
    await leaveDeadSocket(join(root, REGISTRATION))
    const { code, out } = await doctor()
    equal(code, 3)
    match(out, /1\. Connection refused: no process serves the registration socket \S+-reg\.sock\. Restart the pod/)
    await registrar()
    equal((await doctor()).code, 0)
  })

  test('finds a driver that is registered but not running, has another path or another name, or has no registrar', async (context) => {
    const { root, driver, registrar, doctor, write } = await openNode(context)
    const running = await driver()
    match((await doctor()).out, /1\. Driver csi\.example\.com answers at \S+csi\.sock, but no socket in \S+ is of it\./)
    const first = await registrar(REGISTRATION, '/csi/csi.sock')
    match((await doctor()).out, /1\. Endpoint \/csi\/csi\.sock of driver csi\.example\.com does not exist\. Check that/)
    await first.stop()
    await registrar()
    await running.stop()
    await leaveDeadSocket(join(root, SOCKET))
    match((await doctor()).out, /1\. Connection refused: driver csi\.example\.com is registered, but no process serves/)
    const other = await driver(SOCKET, 'other.example.com')
    match((await doctor()).out, /is registered as csi\.example\.com but calls itself other\.example\.com\./)
    await other.stop()
    await write(SOCKET, 'not a socket')
    match((await doctor()).out, /is not a socket but a file/)
  })

  test('finds what SELinux denied, and a label that is not one for containers', async (context) => {
    const { driver, registrar, doctor, write } = await openNode(context)
    await driver()
    await registrar()
    await write('/sys/fs/selinux/enforce', '1')
    const labels = (type: string) => ({ [REGISTRATION]: `system_u:object_r:${type}:s0` })
    equal((await doctor([], labels('container_var_lib_t'))).code, 0)
    match(
      (await doctor([], labels('var_lib_t'))).out,
      /1\. SELinux is enforcing, and \S+-reg\.sock has the label system_u:object_r:var_lib_t:s0, .* restorecon -Rv/,
    )
    const now = Math.floor(Date.now() / 1000)
    const from = 'scontext=system_u:system_r:container_t:s0:c1,c2 tcontext=system_u:system_r:spc_t:s0'
    await write(
      '/var/log/audit/audit.log',
      `type=AVC msg=audit(${now}.1:2): avc:  denied  { connectto } for  pid=9 comm="csi-node-driver" path="/csi/csi.sock" ${from} tclass=unix_stream_socket permissive=0\n`,
    )
    match((await doctor([], {})).out, /1\. SELinux denied csi-node-driver \(\S+\) \{ connectto \} on \/csi\/csi\.sock/)
    await write('/sys/fs/selinux/enforce', '0')
    equal((await doctor([], {})).code, 0)
  })

  test('says which directory it looked at if no kubelet is visible', async (context) => {
    const { doctor, write } = await openNode(context)
    await write('/proc/812/comm', 'other\n')
    match((await doctor()).out, /^Kubelet directory: \/var\/lib\/k0s\/kubelet \(assumed: no process of a kubelet/)
    const { code, out } = await doctor(['--kubelet-dir=/nowhere'])
    equal(code, 3)
    match(
      out,
      /^Kubelet directory: \/nowhere \(from --kubelet-dir\)\n\n1\. \/nowhere\/plugins_registry does not exist\./,
    )
  })
})

/** The name of a socket whose server was killed. */
async function leaveDeadSocket(path: string): Promise<void> {
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  await new Promise((resolve) => spawn(process.execPath, ['-e', program]).once('exit', resolve))
}
