import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { ROOT } from './run.ts'

/** What a command has written to standard output. Without a code it still runs: it said that it is ready. */
export type Ran = { readonly output: string; readonly errors: string; readonly code: number | undefined }

/** A shell at the root of the repository, as a person has it: what is exported stays, and one command at a time runs. */
export interface Terminal extends AsyncDisposable {
  /** What runs there now. */
  readonly command: string | undefined
  /** Resolves when the command ends, or when it says that it serves. */
  run(command: string): Promise<Ran>
  /** Ctrl-C; resolves with how the command ended. */
  interrupt(): Promise<Ran>
}

const END = /^\[ended (\d+)\]$/
const SERVES = /^(ready|following) /

export function openTerminal({ home }: { home: string }): Terminal {
  const { NODE_TEST_CONTEXT: _runner, KUBECONFIG: _cluster, PATH = '', ...inherited } = process.env
  const env = {
    ...inherited,
    HOME: home,
    PATH: [join(ROOT, 'node_modules/.bin'), PATH].join(delimiter),
    npm_config_update_notifier: 'false',
  }
  // A process group of its own: what a terminal's Ctrl-C reaches.
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: ROOT,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = once(shell, 'exit')
  let output = ''
  let errors = ''
  let rest = ''
  let command: string | undefined
  let notify: { served?: (ran: Ran) => void; ended: ((ran: Ran) => void)[]; failed: ((error: Error) => void)[] } = {
    ended: [],
    failed: [],
  }
  shell.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) takeLine(line)
  })
  const takeLine = (line: string): void => {
    const code = END.exec(line)?.[1]
    if (code === undefined) {
      output += `${line}\n`
      if (SERVES.test(line)) notify.served?.({ output, errors, code: undefined })
      return
    }
    const { served, ended } = notify
    const ran = { output, errors, code: Number(code) }
    command = undefined
    notify = { ended: [], failed: [] }
    served?.(ran)
    for (const tell of ended) tell(ran)
  }
  const fail = (error: Error): void => {
    for (const tell of notify.failed) tell(error)
  }
  void exited.then(() => fail(new Error(`the shell ended: ${errors}`)), fail)
  shell.stdin.write('trap : INT\n')
  const dispose = async (): Promise<void> => {
    if (shell.exitCode !== null || shell.signalCode !== null || shell.pid === undefined) return
    process.kill(-shell.pid, 'SIGKILL')
    await exited
  }
  return {
    get command() {
      return command
    },
    run: (next) => {
      if (command !== undefined) throw new Error(`${command} still runs in this terminal`)
      command = next
      output = ''
      errors = ''
      return new Promise((resolve, reject) => {
        notify = { served: resolve, ended: [], failed: [reject] }
        // npx leaves behind what it has started when Ctrl-C comes: the command has ended when nobody can write any more.
        shell.stdin.write(
          `{ ${next}\n} </dev/null > >(trap '' INT; exec cat); code=$?; wait $!; printf '\\n[ended %d]\\n' $code\n`,
        )
      })
    },
    interrupt: () => {
      if (command === undefined || shell.pid === undefined) throw new Error('nothing runs in this terminal')
      const { pid } = shell
      return new Promise((resolve, reject) => {
        notify.ended.push(resolve)
        notify.failed.push(reject)
        process.kill(-pid, 'SIGINT')
      })
    },
    [Symbol.asyncDispose]: dispose,
  }
}
