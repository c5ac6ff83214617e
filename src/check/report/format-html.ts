import type { CaseResult } from '../case.ts'
import type { RunReport } from '../run-check.ts'
import type { DriverName } from './format-json.ts'
import { escapeXml } from './format-junit.ts'
import { countResults, formatFailures, formatLoad } from './format-text.ts'
import type { Repeat } from './format-text.ts'

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #1c2430; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
.verdict { padding: .8rem 1rem; border-radius: .4rem; color: #fff; font-weight: 600 }
.passed { background: #1a7f37 } .failed { background: #b3261e }
table { border-collapse: collapse; width: 100% } td { padding: .25rem .5rem; border-top: 1px solid #dde2ea; vertical-align: top }
td:first-child { white-space: nowrap; font-family: ui-monospace, monospace; font-size: .85rem }
.bad { color: #b3261e; font-weight: 600 } .ok { color: #1a7f37 } .na { color: #66707f }
blockquote { margin: .4rem 0; padding-left: .8rem; border-left: 3px solid #c4ccd8; color: #46505f }
pre { background: #f4f6f9; padding: .8rem; overflow: auto; font-size: .8rem } details { margin: .3rem 0 }
@media (prefers-color-scheme: dark) { body { background: #14181f; color: #dfe5ee } td { border-color: #303846 } pre { background: #1d232d } blockquote { color: #a9b4c4 } }
`

/** The result as one page without links to other files. */
export function formatHtml(driver: DriverName, report: RunReport, repeat: Repeat): string {
  const { results, left, run, startedAtMs, tookMs, load } = report
  const { passed, failed, notApplicable } = countResults(results)
  const isPassed = failed === 0 && left.length === 0
  const title = escapeXml(`${driver.name} ${driver.version}`)
  const topics = Map.groupBy(results, ({ case: { id } }) => id.split('/')[0] ?? '')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>holdfast check: ${title}</title><style>${STYLE}</style></head><body>
<h1>${title}</h1>
<p class="verdict ${isPassed ? 'passed' : 'failed'}">${isPassed ? 'Passed' : 'Failed'}: ${passed} passed, ${failed} failed, ${notApplicable} not applicable</p>
<p>Run ${run} of holdfast check, ${new Date(startedAtMs).toISOString()}, ${(tookMs / 1000).toFixed(1)} s.</p>
${left.map((what) => `<p class="bad">Left behind: ${escapeXml(what)}</p>`).join('')}
${[...topics].map(([topic, some]) => `<h2>${escapeXml(topic)}</h2><table>${some.map((result) => formatRow(result, repeat)).join('')}</table>`).join('\n')}
${load ? `<h2>Load</h2><pre>${escapeXml(formatLoad(load))}</pre>` : ''}
</body></html>
`
}

const WORDS = {
  passed: ['ok', 'passed'],
  failed: ['bad', 'failed'],
  'not-applicable': ['na', 'not applicable'],
} as const

function formatRow(result: CaseResult, repeat: Repeat): string {
  const { case: one, outcome } = result
  const [style, word] = WORDS[outcome.kind]
  const clause = `<details><summary>${escapeXml(one.title)}</summary><blockquote>${escapeXml(`${one.section}: ${one.clause}`)}</blockquote></details>`
  const reason = outcome.kind === 'not-applicable' ? `<div class="na">${escapeXml(outcome.reason)}</div>` : ''
  const failure = outcome.kind === 'failed' ? `<pre>${escapeXml(formatFailures([result], repeat))}</pre>` : ''
  return `<tr><td>${escapeXml(one.id)}</td><td>${clause}${reason}${failure}</td><td class="${style}">${word}</td></tr>`
}
