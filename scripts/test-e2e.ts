import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { exitOnSignal } from './exit-on-signal.ts'
import { findMissingGo } from './find-missing-go.ts'
import { readArguments } from './read-arguments.ts'
import { ROOT, run, runInherited } from './run.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../src/api/kinds/volume-attributes-class.ts'
import { buildE2eImages, E2E_REGISTRY } from '../test/kubernetes/cluster/build-e2e-images.ts'
import { missingForContainers } from '../test/kubernetes/cluster/build-test-images.ts'
import {
  BUNDLED_ATTRIBUTES_CLASS,
  BUNDLED_DRIVER,
  bundledDriverValues,
} from '../test/kubernetes/cluster/driver-values.ts'
import { formatE2eReport, parseE2eReport } from '../test/kubernetes/cluster/e2e-report.ts'
import * as suite from '../test/kubernetes/cluster/e2e-suite.ts'
import { openClusterStage } from '../test/kubernetes/cluster/open-cluster-stage.ts'
import type { ClusterStage } from '../test/kubernetes/cluster/open-cluster-stage.ts'
import { buildPeer } from '../test/kubernetes/peers.ts'

// npm run test:e2e [-- --all | --focus=REGEX…] [--drivers=shared,bundled] [--nodes=1|2] [--procs=N] [--out=DIR] [--allow-missing]: the storage specs
// of the end-to-end tests of Kubernetes, on a cluster where the Helm chart has installed the drivers. DIR keeps the reports: junit.xml and report.json.
const { values } = readArguments(() =>
  parseArgs({
    options: {
      all: { type: 'boolean', default: false },
      focus: { type: 'string', multiple: true },
      drivers: { type: 'string', default: Object.keys(suite.E2E_DRIVERS).join(',') },
      nodes: { type: 'string', default: '1' },
      procs: { type: 'string', default: '4' },
      out: { type: 'string', default: join(ROOT, 'build/e2e') },
      'allow-missing': { type: 'boolean', default: false },
    },
  }),
)
const drivers = readArguments(readDrivers)
const processes = readArguments(readProcesses)

exitOnSignal()
readArguments(checkNodes)
const missing = await findMissing()
if (missing !== undefined) {
  process.stderr.write(`test:e2e did not run: ${missing}\n`)
  process.exitCode = values['allow-missing'] ? 0 : 1
} else {
  process.exitCode = await runSuite()
}

// The volumes of the bundled driver are on one node, and not every spec asks where they are.
function checkNodes(): void {
  if (!['1', '2'].includes(values.nodes)) throw new Error('--nodes is 1 or 2')
  if (values.nodes === '2' && values.drivers !== 'shared') throw new Error('--nodes=2 needs --drivers=shared')
}

async function findMissing(): Promise<string | undefined> {
  const forContainers = missingForContainers()
  if (forContainers !== undefined) return `containers need ${forContainers}`
  if ((await run('kubectl', ['version', '--client'])).code !== 0)
    return 'it needs kubectl on the PATH, and there is none'
  return findMissingGo()
}

async function runSuite(): Promise<number> {
  const programs = { ginkgo: await buildPeer('ginkgo'), e2e: await buildPeer('e2e') }
  const out = resolve(values.out)
  mkdirSync(out, { recursive: true })
  // Only what this run writes is read afterwards.
  rmSync(join(out, suite.JSON_REPORT), { force: true })
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-e2e-'))
  const write = (name: string, value: object): string => {
    const path = join(directory, name)
    writeFileSync(path, JSON.stringify(value))
    return path
  }
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  const stage = await openClusterStage({ settings: suite.E2E_SETTINGS, buildMoreImages: buildE2eImages })
  if (values.nodes === '2') {
    await stage.addNode('node-2')
    await stage.release.untilRegistered('node-2')
  }
  if (drivers.includes('bundled')) await installBundled(stage)
  const command = suite.formatSuiteCommand({
    // Its name tells ginkgo that this is no package to build.
    suite: linkTo(programs.e2e, join(directory, 'e2e.test')),
    focus: values.all ? suite.EVERY_FOCUS : (values.focus ?? suite.DEFAULT_FOCUS),
    processes,
    kubeconfig: stage.kubeconfig,
    driverFiles: drivers.map((name) => write(`${name}.json`, suite.E2E_DRIVERS[name])),
    out,
  })
  const registries = write('registries.json', { promoterE2eRegistry: E2E_REGISTRY, gcRegistry: E2E_REGISTRY })
  const env = { KUBE_TEST_REPO_LIST: registries }
  const code = await runInherited(programs.ginkgo, command, { cwd: directory, env, endsWithThisProcess: true })
  await stage.stop()
  return report(join(out, suite.JSON_REPORT), code)
}

function readProcesses(): number {
  if (!/^[1-9]\d*$/.test(values.procs))
    throw new Error(`--procs: ${JSON.stringify(values.procs)} is no number of processes`)
  return Number(values.procs)
}

function readDrivers(): suite.E2eDriver[] {
  const known = Object.keys(suite.E2E_DRIVERS) as suite.E2eDriver[]
  const unknown = values.drivers.split(',').filter((name) => !known.some((each) => each === name))
  if (unknown.length > 0)
    throw new Error(`--drivers: ${JSON.stringify(unknown.join(','))} is none of ${known.join(', ')}`)
  return known.filter((name) => values.drivers.split(',').includes(name))
}

async function installBundled(stage: ClusterStage): Promise<void> {
  const release = await stage.openRelease({
    name: 'bundled',
    namespace: 'csi-bundled',
    driver: BUNDLED_DRIVER,
    values: bundledDriverValues(join(stage.backend, '..', 'bundled')),
  })
  await release.install()
  await release.untilRegistered('node-1')
  await stage.api.create(VOLUME_ATTRIBUTES_CLASSES, BUNDLED_ATTRIBUTES_CLASS)
}

function linkTo(target: string, path: string): string {
  symlinkSync(target, path)
  return path
}

function report(path: string, code: number): number {
  if (!existsSync(path)) {
    process.stderr.write(`e2e.test ended with ${code} and without a report\n`)
    return 1
  }
  const found = parseE2eReport(readFileSync(path, 'utf8'))
  process.stdout.write(formatE2eReport(found))
  // A run in which no spec ran proves nothing.
  return code === 0 && found.failed.length === 0 && found.passed > 0 ? 0 : 1
}
