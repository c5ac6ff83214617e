import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'

/** How a text of the file fares against its tests. */
export type Trial =
  | { readonly kind: 'passed'; readonly tests: number }
  | { readonly kind: 'failed'; readonly reason: string }

export type Trials = {
  readonly root: string
  readonly file: string
  readonly tests: readonly string[]
  /** Modules that have to be loaded again for each text: the file, its tests, and all that is between them. */
  readonly reloaded: readonly string[]
  /** Longest time for one text; after that it counts as failed. */
  readonly timeoutMs: number
  readonly jobs: number
}

/** Sent to the process that tries them, first this and then texts one at a time. */
export type TrialSetup = Pick<Trials, 'root' | 'file' | 'tests' | 'reloaded'>

// What is loaded stays loaded, so a process is replaced now and then.
const TEXTS_FOR_EACH_PROCESS = 150

/** Tries each text of the file with its tests, in a few processes at the same time. */
export async function tryTexts(trials: Trials, texts: readonly string[]): Promise<Trial[]> {
  const results: Trial[] = []
  let next = 0
  const work = async (): Promise<void> => {
    let process: TrialProcess | undefined
    try {
      while (next < texts.length) {
        const index = next++
        process ??= startProcess(trials)
        const { trial, isUsable } = await process.try(texts[index] ?? '')
        results[index] = trial
        if (!isUsable) {
          process.stop()
          process = undefined
        }
      }
    } finally {
      process?.stop()
    }
  }
  await Promise.all(Array.from({ length: trials.jobs }, work))
  return results
}

type TrialProcess = { try(text: string): Promise<{ trial: Trial; isUsable: boolean }>; stop(): void }

function startProcess({ root, file, tests, reloaded, timeoutMs }: Trials): TrialProcess {
  const child: ChildProcess = fork(join(import.meta.dirname, 'trial-process.ts'), [], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  child.send({ root, file, tests, reloaded } satisfies TrialSetup)
  // A mutant that never ends does not notice that its parent has gone.
  const stop = (): void => void child.kill('SIGKILL')
  process.once('exit', stop)
  let count = 0
  return {
    try: (text) =>
      new Promise((resolve) => {
        const end = (trial: Trial, isUsable: boolean): void => {
          clearTimeout(timer)
          child.removeAllListeners()
          resolve({ trial, isUsable })
        }
        const timer = setTimeout(() => end({ kind: 'failed', reason: 'it does not end' }, false), timeoutMs)
        child.once('message', (trial: Trial) => end(trial, ++count < TEXTS_FOR_EACH_PROCESS))
        child.once('exit', () => end({ kind: 'failed', reason: 'the process ended' }, false))
        child.send(text)
      }),
    stop() {
      process.off('exit', stop)
      stop()
    },
  }
}
