import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { run } from '../../scripts/run.ts'
import { buildPeer } from './peers.ts'
import { formatSanityReport, parseSanityReport } from './sanity-report.ts'
import type { SanityReport } from './sanity-report.ts'
import { startProgram } from './start-program.ts'

// The driver with everything switched on, so that csi-sanity has no reason to skip.
const driverCommand = (folder: string, socket: string, publish: string): string[] => [
  'src/cli/main.ts',
  'driver',
  `--endpoint=unix://${socket}`,
  '--node-id=node-1',
  `--data=${join(folder, 'data')}`,
  '--capacity=1Ti',
  '--topology=topology.holdfast.dev/zone=a',
  '--attach',
  '--attach-limit=5',
  `--publish=${publish}`,
]
const MUTABLE_PARAMETERS = { iops: '1000' }
const VOLUME_BYTES = 64 * 1024 * 1024

/** Runs csi-sanity against a driver of its own, and expects that no spec fails. */
async function runSanity(
  t: TestContext,
  driverFlags: (folder: string, socket: string) => string[],
  sanityFlags: (folder: string) => string[],
): Promise<SanityReport> {
  const sanity = await buildPeer('csi-sanity')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sanity-'))
  const [socket, report] = [join(folder, 'csi.sock'), join(folder, 'report.json')]
  const driver = await startProgram(process.execPath, driverFlags(folder, socket))
  t.after(async () => {
    await driver.stop()
    rmSync(folder, { recursive: true })
  })
  const { code, stdout, stderr } = await run(sanity, [
    `--csi.endpoint=unix://${socket}`,
    `--csi.mountdir=${join(folder, 'mount')}`,
    `--csi.stagingdir=${join(folder, 'staging')}`,
    '--ginkgo.no-color',
    `--ginkgo.json-report=${report}`,
    ...sanityFlags(folder),
  ])
  const exit = await driver.stop()
  const result = parseSanityReport(readFileSync(report, 'utf8'))
  process.stdout.write(formatSanityReport(result))
  deepEqual(result.failed, [], `${stdout}${stderr}`)
  equal(code, 0)
  equal(exit, 0, 'the driver stops cleanly')
  return result
}

const variants: readonly [accessType: string, publish: string, behaviour: string][] = [
  ['mount', 'auto', 'with file system volumes'],
  ['block', 'auto', 'with block volumes'],
  ['mount', 'link', 'with links in place of mounts'],
]
for (const [accessType, publish, behaviour] of variants) {
  test(`the bundled driver passes csi-sanity ${behaviour} and skips nothing`, { timeout: 600_000 }, async (t) => {
    const { skipped, passed } = await runSanity(
      t,
      (folder, socket) => driverCommand(folder, socket, publish),
      (folder) => {
        const parameters = join(folder, 'mutable-parameters.yaml')
        // JSON is YAML.
        writeFileSync(parameters, JSON.stringify(MUTABLE_PARAMETERS))
        return [
          `--csi.testvolumeaccesstype=${accessType}`,
          `--csi.testvolumesize=${VOLUME_BYTES}`,
          `--csi.testvolumeexpandsize=${2 * VOLUME_BYTES}`,
          `--csi.testvolumemutableparameters=${parameters}`,
          '--csi.testnodevolumeattachlimit',
        ]
      },
    )
    deepEqual(skipped, [])
    ok(passed >= 102, `only ${passed} tests ran`)
  })
}

test(
  'the bundled driver passes csi-sanity without a parameter file or any other option',
  { timeout: 600_000 },
  async (t) => {
    const { passed } = await runSanity(
      t,
      (folder, socket) => [
        'src/cli/main.ts',
        'driver',
        `--endpoint=unix://${socket}`,
        '--node-id=node-1',
        `--data=${join(folder, 'data')}`,
        '--attach',
      ],
      () => [],
    )
    ok(passed >= 98, `only ${passed} tests ran`)
  },
)
