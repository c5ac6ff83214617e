import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** The repository's root, wherever it is checked out. */
export const ROOT: string = join(import.meta.dirname, '..')

export type RunOptions = {
  /** Default: the repository's root. */
  cwd?: string
  /** Added to the environment of this process; undefined takes away. */
  env?: Readonly<Record<string, string | undefined>>
}

export type InheritedOptions = RunOptions & {
  /** Whether the program and everything that it starts is killed when this process exits. Interrupts of the terminal do not reach it then. Default false. */
  endsWithThisProcess?: boolean
}

export type RunResult = { code: number; stdout: string; stderr: string }

/** Runs a program to its end and collects what it printed. A program that cannot be started has code 127. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: environment(options),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', (error) => resolve({ code: 127, stdout, stderr: `${stderr}${error.message}\n` }))
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }))
  })
}

/** Runs a program on this terminal and returns its exit code. Interrupts reach it through the terminal: we only wait for it. */
export function runInherited(
  command: string,
  args: readonly string[],
  { endsWithThisProcess = false, ...options }: InheritedOptions = {},
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: environment(options),
      stdio: 'inherit',
      // The leader of a process group, so that one signal reaches all of its processes.
      detached: endsWithThisProcess,
    })
    const wait = (): void => {}
    const forward = (): void => void child.kill('SIGTERM')
    const killGroup = (): void => {
      try {
        if (endsWithThisProcess && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    }
    process.on('SIGINT', wait).on('SIGTERM', forward).on('exit', killGroup)
    const end = (code: number): void => {
      process.off('SIGINT', wait).off('SIGTERM', forward).off('exit', killGroup)
      resolve(code)
    }
    child.on('error', (error) => {
      process.stderr.write(`${command}: ${error.message}\n`)
      end(127)
    })
    child.on('close', (code) => end(code ?? 1))
  })
}

/** The pinned tools come first, also when a script is not started through npm. */
function environment(options: RunOptions): NodeJS.ProcessEnv {
  const path = [join(ROOT, 'node_modules', '.bin'), process.env['PATH'] ?? ''].join(delimiter)
  return { ...process.env, PATH: path, ...options.env }
}
