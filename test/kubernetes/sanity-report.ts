/** What csi-sanity found, from the JSON report of its test runner. */
export type SanityReport = {
  passed: number
  failed: { name: string; message: string }[]
  skipped: { name: string; reason: string }[]
  /** Disabled by csi-sanity itself. */
  pending: string[]
}

type Suite = { SpecReports: Spec[]; SpecialSuiteFailureReasons?: string[] | null }
type Spec = {
  LeafNodeType: string
  ContainerHierarchyTexts: string[] | null
  LeafNodeText: string
  State: string
  Failure?: { Message?: string; Location?: { FileName?: string; LineNumber?: number } }
}

export function parseSanityReport(text: string): SanityReport {
  const report: SanityReport = { passed: 0, failed: [], skipped: [], pending: [] }
  for (const suite of JSON.parse(text) as Suite[]) {
    for (const reason of suite.SpecialSuiteFailureReasons ?? [])
      report.failed.push({ name: 'the suite', message: reason })
    for (const spec of suite.SpecReports) addSpec(report, spec)
  }
  return report
}

function addSpec(report: SanityReport, spec: Spec): void {
  const name = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' › ') || spec.LeafNodeType
  const message = spec.Failure?.Message ?? ''
  // Set-up and tear-down of the suite count only when they fail.
  if (spec.State === 'passed') report.passed += spec.LeafNodeType === 'It' ? 1 : 0
  else if (spec.State === 'skipped') report.skipped.push({ name, reason: message })
  else if (spec.State === 'pending') report.pending.push(name)
  else report.failed.push({ name, message: `${spec.State}: ${message}` })
}

/** For a log: the counts, each failure with its message, and each reason to skip with the tests that it cost. */
export function formatSanityReport({ passed, failed, skipped, pending }: SanityReport): string {
  const reasons = Map.groupBy(skipped, ({ reason }) => reason)
  const lines = [
    `csi-sanity: ${passed} passed, ${failed.length} failed, ${skipped.length} skipped, ${pending.length} disabled by csi-sanity itself`,
    ...failed.map(({ name, message }) => `failed: ${name}\n    ${message.replaceAll('\n', '\n    ')}`),
    ...[...reasons].map(
      ([reason, tests]) => `skipped: ${reason} (${tests.length})\n${tests.map(({ name }) => `    ${name}`).join('\n')}`,
    ),
    ...pending.map((name) => `disabled: ${name}`),
  ]
  return `${lines.join('\n')}\n`
}
