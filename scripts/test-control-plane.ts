import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { exitOnSignal } from './exit-on-signal.ts'
import { findMissingGo } from './find-missing-go.ts'
import { readArguments } from './read-arguments.ts'
import { ROOT, run } from './run.ts'
import { ACCEPTED_ERRORS } from '../test/kubernetes/accepted-errors.ts'
import { errorLinesOf, findUnexpected } from '../test/kubernetes/control-plane-errors.ts'
import { buildPeer } from '../test/kubernetes/peers.ts'
import { findFreePort, startKubernetes } from '../test/kubernetes/start-kubernetes.ts'
import { startLogged } from '../test/kubernetes/start-logged.ts'

// npm run test:control-plane [-- --minutes=10]: the unmodified kube-controller-manager and kube-scheduler on `holdfast apiserver`, and then on
// kube-apiserver. Prints every error line of the first run that the second one does not have, and fails unless it is listed with a reason.
const minutes = readArguments(() => {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
  if (!(Number(values.minutes) > 0))
    throw new Error(`--minutes: ${JSON.stringify(values.minutes)} is no number of minutes`)
  return Number(values.minutes)
})

const WORK = [
  'create deployment web --image=web --replicas=3',
  'create job once --image=once',
  'create cronjob often --image=often --schedule=@hourly',
  'create quota limited --hard=pods=20',
  'create service clusterip web --tcp=80:80',
  'create namespace leaving',
  'create configmap held --namespace=leaving',
  'delete namespace leaving --wait=false',
]

exitOnSignal()
const missing = await findMissingGo()
if (missing === undefined) process.exitCode = await compare(minutes * 60_000)
else {
  process.stderr.write(`test:control-plane did not run: ${missing}\n`)
  process.exitCode = 1
}

async function compare(durationMs: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-control-plane-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const kubeconfig = join(directory, 'holdfast.kubeconfig')
  const holdfast = startLogged(
    process.execPath,
    [join(ROOT, 'src/cli/main.ts'), 'apiserver', '--in-memory', '--port=0', `--kubeconfig=${kubeconfig}`],
    join(directory, 'holdfast.log'),
  )
  await holdfast.ready
  const ours = await runControlPlane(join(directory, 'ours'), kubeconfig, durationMs)
  await holdfast.stop()
  const kubernetes = await startKubernetes()
  const theirs = await runControlPlane(join(directory, 'theirs'), kubernetes.kubeconfig(), durationMs)
  await kubernetes.stop()
  const { unexpected, accepted } = findUnexpected(ours, theirs, ACCEPTED_ERRORS)
  for (const { line, because } of accepted) process.stdout.write(`only here: ${line}\n    accepted: ${because}\n`)
  for (const line of unexpected) process.stdout.write(`only here: ${line}\n    NOT LISTED\n`)
  process.stdout.write(`${ours.length} different error lines here, ${theirs.length} on kube-apiserver\n`)
  return unexpected.length === 0 ? 0 : 1
}

/** The different error lines of both programs. Throws if one of them ends, or does not do its work. */
async function runControlPlane(prefix: string, kubeconfig: string, durationMs: number): Promise<string[]> {
  const manager = await startPart('kube-controller-manager', prefix, kubeconfig, ['--controllers=*'])
  const scheduler = await startPart('kube-scheduler', prefix, kubeconfig, [])
  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run('kubectl', [`--kubeconfig=${kubeconfig}`, ...args])
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  await delay(Math.min(20_000, durationMs / 4))
  for (const command of WORK) await kubectl(...command.split(' '))
  await delay(durationMs)
  const pods = (await kubectl('get', 'pods', '--output=name')).trim().split('\n')
  if (pods.filter((name) => name.startsWith('pod/web-')).length !== 3)
    throw new Error(`the deployment has other pods: ${pods.join(', ')}`)
  for (const { name, program } of [manager, scheduler])
    if (program.exitCode() !== undefined) throw new Error(`${name} ended: ${program.log().slice(-4000)}`)
  await scheduler.program.stop()
  await manager.program.stop()
  return errorLinesOf([manager, scheduler].map(({ path }) => readFileSync(path, 'utf8')).join('\n'))
}

async function startPart(
  name: 'kube-controller-manager' | 'kube-scheduler',
  prefix: string,
  kubeconfig: string,
  flags: readonly string[],
) {
  const path = `${prefix}-${name}.log`
  const program = startLogged(
    await buildPeer(name),
    [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${await findFreePort()}`,
      `--cert-dir=${prefix}-${name}-pki`,
      ...flags,
    ],
    path,
  )
  program.ready.catch(() => {})
  return { name, path, program }
}
