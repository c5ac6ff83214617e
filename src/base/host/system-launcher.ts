import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { HostError } from './host.ts'
import type { HostProcesses, ProcessResult } from './host.ts'
import { areProgramsOnPath } from './system-privileges.ts'
import { programEnvironment } from './system-processes.ts'

/** Runs a program to its end; of what it says at most 3,000 bytes are kept, all as `stderr`. */
export type Launch = (command: string, args: readonly string[]) => Promise<ProcessResult>

/**
 * Runs programs by way of a small process. To start one a process is copied, and with 200 MB that takes ten milliseconds in which nothing
 * else happens. The small one is a shell with a script that never changes: names and arguments come to it on its input, as data, a line each.
 * It ends with this process, or when its input does.
 */
export function createLauncher(processes: HostProcesses): Launch {
  let hasShell: Promise<boolean> | undefined
  let shell: Shell | undefined
  return async (command, args) => {
    const words = [command, ...args]
    hasShell ??= areProgramsOnPath('sh')
    // What is no single line can't be handed over.
    if (words.some((word) => /[\n\0]/.test(word)) || !(await hasShell)) {
      const { exitCode, stdout, stderr } = await processes.run(command, args)
      return { exitCode, stdout: '', stderr: `${stdout}${stderr}` }
    }
    if (!shell || shell.hasEnded()) shell = startShell()
    return shell.launch(words)
  }
}

// `jobs` takes note of those that have ended. A write of less than 4 KiB is atomic, also with concurrent writers.
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
  // Of a session of its own: what is typed at a terminal is meant for this process, which may have to unmount before it ends.
  const child = spawn('sh', ['-c', SCRIPT], {
    cwd: '/',
    env: programEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  // Pipes of a child process are sockets, which a process need not wait for.
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
