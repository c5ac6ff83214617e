import { PART_NAMES, PARTS } from './parts.ts'
import type { PartName } from './parts.ts'
import type { Results } from './results.ts'
import { rowsOf } from './rows.ts'
import type { Row } from './rows.ts'

/** docs/performance.md, from the results alone. */
export function formatPage(results: Results): string {
  const rows = rowsOf(results)
  const behind = rows.filter(({ isMet }) => isMet === false).length
  const unmeasured = rows.filter(({ isMet }) => isMet === undefined).length
  return `# Performance

\`npm run bench all\` runs every benchmark and writes this page from its output (\`bench/results.json\`); do not edit it. \`npm run bench all -- --only=up,node\`
repeats some parts and keeps the rest. The Go programs, kube-apiserver and etcd have to be built first (\`npm run test:kubernetes\`). For the meaning of the rows
and columns, see \`bench/README.md\`; for decisions, [design/performance.md](design/performance.md) and [design/api-writes.md](design/api-writes.md).

Holdfast runs with its default settings, the Go sidecars with 100 workers and 1,000 requests a second. A ratio above 1 means that Holdfast is better. **Bold**: not
reached. ${countOf(rows.length - behind - unmeasured, 'row')} reached, ${behind} not reached, ${unmeasured} not measured.

| | Holdfast | Go | ratio | required |
|---|---|---|---|---|
${rows.map(formatRow).join('\n')}

## Runs

| Part | begun | commit | seconds | load before | machine |
|---|---|---|---|---|---|
${PART_NAMES.map((name) => formatRun(name, results)).join('\n')}

Rates are comparable within a part and not between machines; the same row differs by a third between runs on a virtual machine. A load above 0.5 before a part means
that other work was running.

${PART_NAMES.map((name) => formatPart(name, results)).join('\n')}`
}

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function formatRow({ what, ours = 'not measured', theirs = '', ratio, goal, isMet }: Row): string {
  const cells = [what, ours, theirs, ratio === undefined ? '' : `${ratio.toFixed(2)}×`]
  const bold = (text: string): string => (isMet === true || text === '' ? text : `**${text}**`)
  return `| ${cells.map(bold).join(' | ')} | ${goal} |`
}

function formatRun(name: PartName, results: Results): string {
  const result = results[name]
  if (!result) return `| ${PARTS[name].title} | not run | | | | |`
  const { at, commit, seconds, loadBefore, machine, isQuick } = result
  return `| ${PARTS[name].title}${isQuick ? ' (**quick run**)' : ''} | ${at} | ${commit} | ${seconds} | ${loadBefore.toFixed(1)} | ${machine} |`
}

function formatPart(name: PartName, results: Results): string {
  const { title, about } = PARTS[name]
  const result = results[name]
  const picture = name === 'scale' && result && !result.isQuick ? '\n![cost by size](scale.svg)\n' : ''
  const text = result
    ? `\`npm run bench ${result.command}\`${result.isQuick ? ', **a quick run: look at it, do not compare it**' : ''}
${picture}
\`\`\`
${result.outputs.map((output) => output.trim()).join('\n\n')}
\`\`\`
`
    : 'Not run yet.\n'
  return `## ${title}

${about}

${text}`
}
