import { parseSanityReport } from '../sanity-report.ts'
import type { SanityReport } from '../sanity-report.ts'

/** What e2e.test found. Specs that were not selected are left out. */
export type E2eReport = Pick<SanityReport, 'passed' | 'failed' | 'skipped'>

/** From the JSON report of its test runner, which is that of csi-sanity too. */
export function parseE2eReport(text: string): E2eReport {
  const { passed, failed, skipped } = parseSanityReport(text)
  // A spec that was selected and then skipped has a reason.
  return { passed, failed, skipped: skipped.filter(({ reason }) => reason !== '') }
}

/** For a log: the counts, how often each reason to skip was given, and each failure. */
export function formatE2eReport({ passed, failed, skipped }: E2eReport): string {
  const reasons = Map.groupBy(skipped, ({ reason }) => reason)
  const lines = [
    ...[...reasons].map(([reason, specs]) => `skipped: ${reason} (${specs.length})`),
    ...failed.map(({ name, message }) => `failed: ${name}\n    ${message.replaceAll('\n', '\n    ')}`),
    `e2e: ${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
  ]
  return `${lines.join('\n')}\n`
}
