import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../scripts/run.ts'
import { ALL_CASES } from '../../src/check/cases/all-cases.ts'
import type { CaseResult } from '../../src/check/case.ts'
import { CLUSTER_CASES } from '../../src/check/cluster/all-cluster-cases.ts'
import { createClusterPhase } from '../../src/check/cluster/run-cluster-cases.ts'
import { openCheck } from '../../src/check/run-check.ts'
import { ALL_FAULTS } from '../../src/check/testing/all-faults.ts'
import { startDriverUnderCheck } from '../../src/check/testing/check-under-test.ts'
import type { Fault } from '../../src/check/testing/fault.ts'
import { startFaultyDriver } from '../../src/check/testing/start-faulty-driver.ts'
import { removeDirectory } from '../../src/check/run-case.ts'
import { createSystemHost } from '../../src/base/host/index.ts'
import { peerPath } from './peers.ts'
import { parseSanityReport } from './sanity-report.ts'

/** The cases that found a fault first; undefined for csi-sanity if it is not there. */
export type FaultResult = { fault: Fault; cases: string[]; sanity: string[] | undefined }

const SANITY_MS = 240_000

/** Plants the fault and runs every case, and csi-sanity if it is among the peers, each against a driver of its own. */
export async function measureFault(fault: Fault | undefined, withSanity: boolean): Promise<Omit<FaultResult, 'fault'>> {
  const cases = await inDirectory(async (directory) => {
    const { driver, options, world } = await startDriverUnderCheck(directory, fault)
    try {
      const quick = {
        ...options,
        settings: { ...options.settings, callTimeoutMs: 4000 },
        caseTimeoutMs: 120_000,
        parallel: 4,
      }
      using session = await openCheck(quick, world)
      // The first case that fails is enough.
      const found = new AbortController()
      const listener = {
        onResult: ({ outcome }: CaseResult) => void (outcome.kind === 'failed' && found.abort()),
        signal: found.signal,
      }
      const { results } = await session.run(ALL_CASES, listener, [createClusterPhase(CLUSTER_CASES)])
      return results.filter(({ outcome }) => outcome.kind === 'failed').map(({ case: { id } }) => id)
    } catch (error) {
      // The driver cannot even be asked what it can do.
      return [`connect: ${error instanceof Error ? error.message : String(error)}`]
    } finally {
      await driver.stop()
    }
  })
  return { cases, sanity: withSanity ? await inDirectory((directory) => runSanity(directory, fault)) : undefined }
}

export async function runSanity(directory: string, fault: Fault | undefined): Promise<string[]> {
  const driver = await startFaultyDriver({ directory, ...(fault ? { fault } : {}) })
  const report = join(directory, 'report.json')
  const parameters = join(directory, 'mutable.yaml')
  writeFileSync(parameters, JSON.stringify({ iops: '1000' }))
  try {
    const { code, stderr } = await run('timeout', [
      String(SANITY_MS / 1000),
      peerPath('csi-sanity'),
      `--csi.endpoint=unix://${driver.endpoints[0]}`,
      `--csi.mountdir=${join(directory, 'mount')}`,
      `--csi.stagingdir=${join(directory, 'staging')}`,
      '--csi.testvolumesize=16777216',
      '--csi.testvolumeexpandsize=33554432',
      `--csi.testvolumemutableparameters=${parameters}`,
      '--csi.testnodevolumeattachlimit',
      '--ginkgo.no-color',
      `--ginkgo.json-report=${report}`,
    ])
    if (!existsSync(report)) return code === 0 ? [] : [`csi-sanity ended with ${code}: ${stderr.slice(0, 200)}`]
    return parseSanityReport(readFileSync(report, 'utf8')).failed.map(({ name }) => name)
  } finally {
    await driver.stop()
  }
}

async function inDirectory<T>(act: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'hf-fault-'))
  try {
    return await act(directory)
  } finally {
    await removeDirectory(createSystemHost(), directory)
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A table for the documentation. */
export function formatFaults(results: readonly FaultResult[]): string {
  const found = results.filter(({ cases }) => cases.length > 0).length
  const bySanity = results.filter(({ sanity }) => (sanity ?? []).length > 0).length
  const hasSanity = results.some(({ sanity }) => sanity !== undefined)
  const rows = results.map(({ fault, cases, sanity }) => {
    const like = fault.issue ? ` ([like this one](${fault.issue}))` : ''
    const first =
      cases[0] === undefined ? '**not found**' : `${cases[0]}${cases.length > 1 ? ` and ${cases.length - 1} more` : ''}`
    return `| ${fault.id} | ${fault.does}${like} | ${first} | ${sanity === undefined ? 'not run' : sanity.length > 0 ? 'found' : '–'} |`
  })
  return [
    `${found} of ${results.length} faults are found by holdfast check${hasSanity ? `, ${bySanity} by csi-sanity` : ''}.`,
    '',
    '| Fault | The driver … | Found by | csi-sanity |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

/** Faults that no case finds, because the specification does not forbid them. A fault that is found must not be listed. */
const NOT_FORBIDDEN: ReadonlyMap<string, string> = new Map([
  ['unknown-capability', 'a capability of type UNKNOWN'],
  ['list-skips-when-volumes-are-deleted', 'a list that skips a volume when another one is deleted between two pages'],
])

/** What is not as it should be. The driver without a fault has to pass, and every fault has to be found. */
export function judgeFaults(clean: Omit<FaultResult, 'fault'>, results: readonly FaultResult[]): string[] {
  return [
    ...clean.cases.map((id) => `without a fault, ${id} fails`),
    ...results.flatMap(({ fault: { id }, cases }) => {
      if (cases.length === 0 && !NOT_FORBIDDEN.has(id)) return [`${id} is not found`]
      return cases.length > 0 && NOT_FORBIDDEN.has(id)
        ? [`${id} is found by ${cases[0]}, but listed as not forbidden`]
        : []
    }),
  ]
}

const LIMIT_MINUTES = 90

// npm run test:check-faults [-- --no-sanity] [--out=FILE] [--from=FAULT] [--minutes=N] [FAULT…]
if (import.meta.main) {
  const words = process.argv.slice(2)
  const valueOf = (flag: string): string | undefined =>
    words.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3)
  const names = words.filter((word) => !word.startsWith('--'))
  const minutes = Number(valueOf('minutes') ?? LIMIT_MINUTES)
  if (!(minutes > 0)) throw new Error(`--minutes=${valueOf('minutes')}: write a number, for example --minutes=60`)
  const unknown = names.filter((name) => !ALL_FAULTS.some(({ id }) => id === name))
  if (unknown.length > 0) throw new Error(`unknown fault ${unknown.join(', ')}`)
  const out = valueOf('out')
  const first = Math.max(
    0,
    ALL_FAULTS.findIndex(({ id }) => id === valueOf('from')),
  )
  const withSanity = !words.includes('--no-sanity') && existsSync(peerPath('csi-sanity'))
  if (!withSanity) process.stdout.write('NOT RUN: csi-sanity (npm run test:kubernetes builds it)\n')
  const startMs = performance.now()
  const clean = await measureFault(undefined, withSanity)
  process.stdout.write(
    `without a fault: ${clean.cases.length} cases and ${clean.sanity?.length ?? 0} specs of csi-sanity fail\n`,
  )
  const results: FaultResult[] = []
  const chosen = ALL_FAULTS.slice(first).filter(({ id }) => names.length === 0 || names.includes(id))
  for (const fault of chosen) {
    if (performance.now() - startMs > minutes * 60_000) break
    const result = { fault, ...(await measureFault(fault, withSanity)) }
    results.push(result)
    const sanity = result.sanity === undefined ? '' : `; csi-sanity: ${result.sanity.length}`
    process.stdout.write(
      `${result.cases.length > 0 ? 'found    ' : 'NOT FOUND'} ${fault.id}: ${result.cases.slice(0, 4).join(', ')}${sanity}\n`,
    )
    if (out !== undefined) writeFileSync(out, formatFaults(results))
  }
  process.stdout.write(`\n${formatFaults(results)}\n`)
  const problems = judgeFaults(clean, results)
  const next = chosen[results.length]
  if (next) problems.push(`not finished within ${minutes} minutes; continue with --from=${next.id}`)
  for (const problem of problems) process.stdout.write(`not ok ${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
