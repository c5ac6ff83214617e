/** An error line that only Holdfast's server causes, as a part of it, and why that is fine. */
export type AcceptedError = { readonly text: string; readonly because: string }

// klog: severity, date, time, process id, then where and what.
const KLOG_ERROR = /^E\d{4} [\d:.]+ +\d+ (.*)$/

/** The different error lines in a log, without what differs from run to run: names with random parts, ids, versions and ports. */
export function errorLinesOf(log: string): string[] {
  const lines = log.split('\n').flatMap((line) => KLOG_ERROR.exec(line)?.[1] ?? [])
  return [...new Set(lines.map(generalize))].sort()
}

const generalize = (line: string): string =>
  line
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/\b(web|once|often)(-[0-9a-z]+)+\b/g, '$1-NAME')
    .replaceAll(/\b\d+\b/g, 'N')

/** Lines of the first log that are not in the second one: those that are listed, and the others. */
export function findUnexpected(
  ours: readonly string[],
  theirs: readonly string[],
  accepted: readonly AcceptedError[],
): { unexpected: string[]; accepted: { line: string; because: string }[] } {
  const only = ours.filter((line) => !theirs.includes(line))
  const reasons = only.map((line) => ({ line, because: accepted.find(({ text }) => line.includes(text))?.because }))
  return {
    unexpected: reasons.flatMap(({ line, because }) => (because === undefined ? [line] : [])),
    accepted: reasons.flatMap(({ line, because }) => (because === undefined ? [] : [{ line, because }])),
  }
}
