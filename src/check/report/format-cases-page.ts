import type { CaseInfo } from '../case.ts'

/** The page of the documentation that lists every case. */
export function formatCasesPage(cases: readonly CaseInfo[]): string {
  const topics = Map.groupBy(cases, ({ id }) => id.split('/')[0] ?? '')
  return `${[
    '# Cases of holdfast check',
    '<!-- Made by npm run generate from src/check/cases. Do not edit. -->',
    `\`holdfast check\` has ${cases.length} cases. \`--only\` and \`--skip\` take their names, or a topic. A case runs if the driver announces what it needs; otherwise it is not applicable. The quoted text is from the [CSI specification](https://github.com/container-storage-interface/spec/blob/master/spec.md), or from the Kubernetes documentation where it says so. The cases of \`cluster\` drive the driver through an embedded cluster; all others call it directly. [How to test a driver](test-my-driver.md).`,
    ...[...topics].flatMap(([topic, some]) => [`## ${topic}`, ...some.map(formatCase)]),
  ].join('\n\n')}\n`
}

function formatCase({ id, title, clause, section, needs, alone }: CaseInfo): string {
  const needed = needs.map((need) => `\`${need.split(':')[1] ?? need}\``).join(', ')
  return [
    `**${id}**: ${title}.${needed === '' ? '' : ` Needs ${needed}.`}${alone ? ' Runs alone.' : ''}`,
    `> ${section}: ${clause}`,
  ].join('\n')
}
