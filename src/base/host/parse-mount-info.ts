import type { MountEntry } from './host.ts'

/** Parses /proc/self/mountinfo as described in proc(5). */
export function parseMountInfo(text: string): MountEntry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine)
}

// ID parent major:minor ROOT TARGET OPTIONS [optional fields] - TYPE SOURCE SUPER-OPTIONS, separated by single spaces.
function parseLine(line: string): MountEntry {
  const fields = line.split(' ')
  const [, , , root, target, options] = fields
  const separator = fields.indexOf('-', 6)
  const [fsType, source, superOptions] = separator < 0 ? [] : fields.slice(separator + 1)
  if (
    root === undefined ||
    target === undefined ||
    options === undefined ||
    fsType === undefined ||
    source === undefined
  ) {
    throw new Error(`invalid line in mountinfo: ${line}`)
  }
  return {
    target: unescapeField(target),
    root: unescapeField(root),
    fsType: unescapeField(fsType),
    source: unescapeField(source),
    readOnly: [options, superOptions ?? ''].some((list) => list.split(',').includes('ro')),
  }
}

// The kernel writes space, tab, newline and backslash as three octal digits.
const unescapeField = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
