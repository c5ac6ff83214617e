import type { CaseResult } from '../case.ts'
import type { RunReport } from '../run-check.ts'
import type { DriverName } from './format-json.ts'
import { countResults, formatFailures } from './format-text.ts'
import type { Repeat } from './format-text.ts'

/** The result as JUnit XML, which CI systems read. */
export function formatJunit(driver: DriverName, { results, tookMs }: RunReport, repeat: Repeat): string {
  const { failed, notApplicable } = countResults(results)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="${escapeXml(`holdfast check ${driver.name} ${driver.version}`)}" tests="${results.length}" failures="${failed}" skipped="${notApplicable}" time="${seconds(tookMs)}">`,
    ...results.map((result) => formatCase(result, repeat)),
    '</testsuite>',
    '',
  ].join('\n')
}

function formatCase(result: CaseResult, repeat: Repeat): string {
  const { case: one, outcome, tookMs } = result
  const [topic = '', name = ''] = one.id.split('/')
  const open = `  <testcase classname="${escapeXml(topic)}" name="${escapeXml(`${name}: ${one.title}`)}" time="${seconds(tookMs)}"`
  switch (outcome.kind) {
    case 'passed':
      return `${open}/>`
    case 'not-applicable':
      return `${open}><skipped message="${escapeXml(outcome.reason)}"/></testcase>`
    case 'failed': {
      const { expected, found } = outcome.failure
      const message = escapeXml(`expected ${expected}, found ${found}`)
      return `${open}><failure message="${message}">${escapeXml(formatFailures([result], repeat))}</failure></testcase>`
    }
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

// Control characters are not allowed in XML, not even escaped. A driver may put them into its messages.
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g

export const escapeXml = (text: string): string =>
  text
    .replaceAll(FORBIDDEN, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
