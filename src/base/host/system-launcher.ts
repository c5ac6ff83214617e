import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { HostError } from './host.ts'
import type { HostProcesses, ProcessResult } from './host.ts'
import { areProgramsOnPath } from './system-privileges.ts'
import { programEnvironment } from './system-processes.ts'

/** Runs a program until it exits. At most 3,000 bytes of its output are kept, all as `stderr`. */
export type Launch = (command: string, args: readonly string[]) => Promise<ProcessResult>

/**
 * Runs programs from a small helper process. Starting a program copies the process, and with 200 MB that blocks everything for ten milliseconds. The
 * helper is a shell with a constant script: it reads names and arguments as data from its input, one per line. It ends with this process, or when its
 * input ends.
 */
export function createLauncher(processes: HostProcesses): Launch {
  let hasShell: Promise<boolean> | undefined
  let shell: Shell | undefined
  return async (command, args) => {
    const words = [command, ...args]
    hasShell ??= areProgramsOnPath('sh')
    // The line protocol cannot pass an argument that contains a line break.
    if (words.some((word) => /[\n\0]/.test(word)) || !(await hasShell)) {
      const { exitCode, stdout, stderr } = await processes.run(command, args)
      return { exitCode, stdout: '', stderr: `${stdout}${stderr}` }
    }
    if (!shell || shell.hasEnded()) shell = startShell()
    return shell.launch(words)
  }
}

// `jobs` reaps ended children. A write of less than 4 KiB is atomic, even with concurrent writers.
const SCRIPT = `
while IFS= read -r id && IFS= read -r count; do
  set --
  while [ "$count" -gt 0 ] && IFS= read -r word; do
    set -- "$@" "$word"
    count=$((count - 1))
  done
  { said=$("$@" 2>&1); printf '%s %s %.3000s\\0' "$id" "$?" "$said"; } </dev/null &
  jobs >/dev/null
done
`

type Shell = { launch(words: readonly string[]): Promise<ProcessResult>; hasEnded(): boolean }
type Waiting = { readonly command: string; resolve(result: ProcessResult): void; reject(error: Error): void }

function startShell(): Shell {
  const waiting = new Map<string, Waiting>()
  let [lastId, ended, rest] = [0, false, Buffer.alloc(0)]
  // In its own session: signals typed at a terminal are for this process, which may have to unmount before it exits.
  const child = spawn('sh', ['-c', SCRIPT], {
    cwd: '/',
    env: programEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  // The pipes of a child process are sockets, so they can be unreferenced.
  const keepAlive = (isWanted: boolean): void => {
    for (const each of [child, child.stdin as Socket, child.stdout as Socket]) {
      if (isWanted) each.ref()
      else each.unref()
    }
  }
  const answer = (message: string): void => {
    const [, id = '', exitCode = '', said = ''] = /^(\d+) (\d+) (.*)$/s.exec(message) ?? []
    const asker = waiting.get(id)
    if (!asker) return
    waiting.delete(id)
    if (waiting.size === 0) keepAlive(false)
    asker.resolve({ exitCode: Number(exitCode), stdout: '', stderr: said })
  }
  const end = (error?: Error): void => {
    ended = true
    for (const { command, reject } of waiting.values())
      reject(
        new HostError('EIO', 'run', command, {
          detail: 'EIO: the process that starts programs has ended',
          cause: error,
        }),
      )
    waiting.clear()
  }
  child.stdout.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (let at = rest.indexOf(0); at >= 0; at = rest.indexOf(0)) {
      const message = rest.subarray(0, at).toString()
      rest = rest.subarray(at + 1)
      answer(message)
    }
  })
  child.stdin.on('error', () => {})
  child.on('error', end)
  // A program may outlive the shell and still hold its output open.
  child.on('exit', () => (ended = true))
  child.on('close', () => end())
  keepAlive(false)
  return {
    hasEnded: () => ended,
    launch: (words) =>
      new Promise((resolve, reject) => {
        const id = String(++lastId)
        waiting.set(id, { command: words[0] ?? '', resolve, reject })
        if (waiting.size === 1) keepAlive(true)
        child.stdin.write([id, String(words.length), ...words, ''].join('\n'))
      }),
  }
}
