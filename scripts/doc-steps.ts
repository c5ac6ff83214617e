/** One thing that a page tells its reader to do. */
export type DocStep =
  | {
      readonly kind: 'run'
      readonly section: string
      readonly terminal: string | undefined
      readonly command: string
      readonly shown: string | undefined
    }
  | { readonly kind: 'interrupt'; readonly section: string; readonly terminal: string }

const TERMINAL = /^# terminal (\d+)(: Ctrl-C)?$/

/**
 * The commands of a page in its order: all lines of blocks marked `sh`, and in blocks without a mark those that begin with `$ `, with the output that is
 * shown below them. `# terminal 2` says where a block is typed, and `# terminal 2: Ctrl-C` stops what runs there.
 */
export function parseDocSteps(page: string): DocStep[] {
  const steps: DocStep[] = []
  let section = ''
  let block: { mark: string; lines: string[] } | undefined
  for (const line of page.split('\n')) {
    const fence = /^```(.*)$/.exec(line)
    if (fence && block) {
      steps.push(...stepsOf(block, section))
      block = undefined
    } else if (fence) block = { mark: fence[1] ?? '', lines: [] }
    else if (block) block.lines.push(line)
    else section = /^#+ (.*)$/.exec(line)?.[1] ?? section
  }
  return steps
}

function stepsOf({ mark, lines }: { mark: string; lines: readonly string[] }, section: string): DocStep[] {
  const isTranscript = mark === '' && lines.some((line) => line.startsWith('$ '))
  if (mark !== 'sh' && !isTranscript) return []
  const steps: DocStep[] = []
  let terminal: string | undefined
  let command: string | undefined
  let shown: string[] = []
  const end = (): void => {
    if (command !== undefined)
      steps.push({ kind: 'run', section, terminal, command, shown: isTranscript ? shown.join('\n') : undefined })
    command = undefined
    shown = []
  }
  for (const line of lines) {
    const [isTerminal, name, interrupts] = TERMINAL.exec(line) ?? []
    if (isTerminal !== undefined) {
      end()
      terminal = name
      if (interrupts !== undefined && name !== undefined) steps.push({ kind: 'interrupt', section, terminal: name })
    } else if (command?.endsWith('\\')) command += `\n${line}`
    else if (isTranscript && !line.startsWith('$ ')) shown.push(line)
    else {
      end()
      const typed = isTranscript ? line.slice(2) : line
      if (typed.trim() !== '' && !typed.startsWith('#')) command = typed
    }
  }
  end()
  return steps
}

// What differs each time: ages, times, ports, names made of chance, and how a machine mounts.
const VOLATILE: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID'],
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\b\d+ ms\b/g, 'N ms'],
  [/ (\d+[hms])+$/g, ' AGE'],
  [/ \((bind|link)\)/g, ' (HOW)'],
]

/** The lines of an output that are the same each time. What npm says before it starts something is none of them. */
export function stableLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('> '))
    .map((line) =>
      VOLATILE.reduce((now, [pattern, name]) => now.replaceAll(pattern, name), line.trim().replaceAll(/ +/g, ' ')),
    )
}

/** The first line that is shown and was not there, in this order. `…` stands for anything, on a line of its own for any lines. */
export function findUnseenLine(shown: string, output: string): string | undefined {
  const actual = stableLines(output)
  let next = 0
  let mayLeaveOut = false
  for (const line of stableLines(shown)) {
    if (line === '…') {
      mayLeaveOut = true
      continue
    }
    const pattern = new RegExp(`^${line.split('…').map(RegExp.escape).join('.*')}$`)
    const found = actual.findIndex(
      (each, index) => index >= next && (mayLeaveOut || index === next) && pattern.test(each),
    )
    if (found === -1) return line
    next = found + 1
    mayLeaveOut = false
  }
  return mayLeaveOut ? undefined : actual[next] && `${actual[next]} (this was not shown)`
}
