import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT, run } from '../../scripts/run.ts'
import { formatE2eReport, parseE2eReport } from './cluster/e2e-report.ts'
import { EXCLUDED_SPECS } from './excluded-specs.ts'
import { buildPeer } from './peers.ts'
import { startLogged } from './start-logged.ts'

// Kubernetes' own conformance specs of the storage API and of API machinery, on `holdfast up`.
const FOCUS = [
  String.raw`\[sig-api-machinery\].*\[Conformance\]`,
  // Of the storage specs, those that need no running container.
  String.raw`\[sig-storage\] (CSIInlineVolumes|CSINodes|CSIStorageCapacity|PersistentVolumes CSI|StorageClasses|VolumeAttributesClass).*\[Conformance\]`,
]
// A spec that waits for something that never happens must not hold up the run.
const LIMIT = '18m'
const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

// A spec explains resources and applies manifests with kubectl.
const hasKubectl = (await run('kubectl', ['version', '--client'])).code === 0

test(
  'the conformance specs of Kubernetes pass',
  { skip: !hasKubectl && 'there is no kubectl on the PATH' },
  async (context) => {
    const programs = { ginkgo: await buildPeer('ginkgo'), e2e: await buildPeer('e2e') }
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-conformance-'))
    const kubeconfig = join(directory, 'kubeconfig')
    const up = startLogged(
      process.execPath,
      [
        '--max-semi-space-size=32',
        join(ROOT, 'src/cli/main.ts'),
        'up',
        '--in-memory',
        // A spec waits until the version of a list has expired.
        '--versions-kept=1m',
        `--data=${directory}/data`,
        `--kubeconfig=${kubeconfig}`,
      ],
      join(directory, 'up.log'),
    )
    context.after(async () => {
      await up.stop()
      rmSync(directory, { recursive: true, force: true })
    })
    await up.ready
    // Its name tells ginkgo that this is no package to build.
    const suite = join(directory, 'e2e.test')
    symlinkSync(programs.e2e, suite)
    const { stdout, stderr } = await run(
      programs.ginkgo,
      [
        '--procs=4',
        '--no-color',
        '--silence-skips',
        `--timeout=${LIMIT}`,
        ...FOCUS.map((focus) => `--focus=${focus}`),
        `--skip=${EXCLUDED_SPECS.map(({ spec }) => escape(spec)).join('|')}`,
        `--output-dir=${directory}`,
        '--json-report=report.json',
        suite,
        '--',
        '--provider=skeleton',
        '--node-os-distro=custom',
        '--kubectl-path=kubectl',
        `--kubeconfig=${kubeconfig}`,
      ],
      { cwd: directory },
    )
    const report = readReport(join(directory, 'report.json'), `${stdout.slice(-4_000)}${stderr.slice(-4_000)}`)
    context.diagnostic(formatE2eReport(report).split('\n').at(-2) ?? '')
    assert.deepEqual(
      report.failed.map(({ name, message }) => `${name}: ${message.split('\n')[0]}`),
      [],
    )
    // A run in which specs were not found proves nothing.
    assert.ok(report.passed >= LEAST_PASSED, `only ${report.passed} specs passed`)
  },
)

const LEAST_PASSED = 75

function readReport(path: string, output: string): ReturnType<typeof parseE2eReport> {
  try {
    return parseE2eReport(readFileSync(path, 'utf8'))
  } catch {
    throw new Error(`the suite ended without a report: ${output}`)
  }
}
