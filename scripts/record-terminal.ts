import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTerminal } from './open-terminal.ts'
import type { Terminal } from './open-terminal.ts'
import { renderTerminal } from './render-terminal.ts'
import type { TerminalLine } from './render-terminal.ts'
import { ROOT } from './run.ts'

// npm run picture: types a session into real terminals and draws what they show as docs/picture.svg. Only the directory is shown under another name.
const SHOWN_DIRECTORY = '/tmp/holdfast'
const COLUMNS = 150
const SOMETHING_WAITS = 3
const TITLE = 'holdfast up, kubectl apply of a claim and a pod, and holdfast why'

const start = `npx holdfast up --data=${SHOWN_DIRECTORY} --nodes=2`
const session: readonly string[] = [
  `export KUBECONFIG=${SHOWN_DIRECTORY}/kubeconfig`,
  'kubectl apply -f examples/claim.yaml',
  'kubectl wait --for=condition=Ready pod/web',
  'kubectl get pods,persistentvolumeclaims',
  'kubectl delete pvc data --wait=false',
  'npx holdfast why pvc/data | head -n 4',
]

async function record(directory: string): Promise<TerminalLine[]> {
  await using first = openTerminal({ home: directory })
  await using second = openTerminal({ home: directory })
  const lines: TerminalLine[] = []
  const type = async (terminal: Terminal, command: string): Promise<void> => {
    const { output, errors, code = 0 } = await terminal.run(command.replaceAll(SHOWN_DIRECTORY, directory))
    if (code !== 0 && code !== SOMETHING_WAITS) throw new Error(`${command} ended with ${code}: ${errors}`)
    const text = output.replaceAll(directory, SHOWN_DIRECTORY).trimEnd()
    lines.push(
      { kind: 'typed', text: command },
      ...(text === '' ? [] : text.split('\n').map((line) => ({ kind: 'output', text: line }) as const)),
    )
  }
  try {
    await type(first, start)
    lines.push({ kind: 'output', text: '' })
    for (const command of session) await type(second, command)
    await second.run('kubectl delete -f examples/claim.yaml --ignore-not-found')
  } finally {
    if (first.command !== undefined) await first.interrupt()
    await second.run(`npx holdfast down --data=${directory} --yes`)
  }
  return lines
}

if (spawnSync('kubectl', ['version', '--client']).status !== 0) {
  process.stderr.write('npm run picture needs kubectl on PATH: the picture shows what it prints\n')
  process.exitCode = 1
} else {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-'))
  try {
    const file = join(ROOT, 'docs', 'picture.svg')
    writeFileSync(file, renderTerminal(await record(directory), { columns: COLUMNS, title: TITLE }))
    process.stdout.write(`${file}\n`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
