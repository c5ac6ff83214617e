import { Worker } from 'node:worker_threads'
import { ApiError } from '../../api/api-error.ts'
import type { Clock } from '../../base/clock.ts'
import { parseJson } from '../schema/parse-json.ts'
import type { YamlReply } from './yaml-worker.ts'
import { parseYaml } from './yaml.ts'
import type { ParsedYaml } from './yaml.ts'

// The worker runs from source in a checkout and from the build when installed.
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './yaml-worker.ts' : './yaml-worker.js', import.meta.url)

// Parsing a text of this length takes less time than starting a thread.
const SHORT_LENGTH = 4 * 1024
const LIMITS = { threads: 2, waiting: 50 }
const DEADLINE_MS = 10_000
const MOST_MEGABYTES = 128

export type ParseYaml = (text: string) => Promise<ParsedYaml>

/**
 * Parses YAML without blocking the event loop: some texts of 100 KiB take seconds. Longer ones are parsed in separate threads, one text each, few at
 * a time, and with a time limit.
 */
export function createYamlThreads(clock: Clock, limits = LIMITS): ParseYaml {
  const waiting: (() => void)[] = []
  let running = 0

  const enter = async (): Promise<void> => {
    if (running < limits.threads) {
      running += 1
      return
    }
    if (waiting.length >= limits.waiting)
      throw new ApiError('TooManyRequests', 'too many YAML bodies are being parsed: try again later, or send JSON', {
        details: { retryAfterSeconds: 1 },
      })
    // A finished parse passes its slot on.
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  return async (text) => {
    if (text.length <= SHORT_LENGTH) return parseYaml(text)
    await enter()
    try {
      const { json, duplicateFields } = await parseInThread(text, clock)
      return { value: json === undefined ? undefined : parseJson(json).value, duplicateFields }
    } finally {
      leave()
    }
  }
}

async function parseInThread(text: string, clock: Clock): Promise<Extract<YamlReply, { kind: 'parsed' }>['parsed']> {
  const worker = new Worker(WORKER, { workerData: text, resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES } })
  worker.unref()
  const timer = clock.setTimer(DEADLINE_MS, () => void worker.terminate())
  try {
    const reply = await new Promise<YamlReply>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error(`it could not be parsed within ${DEADLINE_MS / 1000} s`)))
    })
    if (reply.kind === 'failed') throw new Error(reply.message)
    return reply.parsed
  } finally {
    timer.cancel()
    void worker.terminate()
  }
}
