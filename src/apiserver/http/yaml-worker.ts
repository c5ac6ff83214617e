import { parentPort, workerData } from 'node:worker_threads'
import { jsonOfYaml } from './yaml.ts'
import type { YamlAsJson } from './yaml.ts'

/** The result of parsing. */
export type YamlReply = { kind: 'parsed'; parsed: YamlAsJson } | { kind: 'failed'; message: string }

const port = parentPort
if (!port) throw new Error('this file runs as a worker thread')
jsonOfYaml(workerData as string).then(
  (parsed) => port.postMessage({ kind: 'parsed', parsed } satisfies YamlReply),
  (error: unknown) =>
    port.postMessage({
      kind: 'failed',
      message: error instanceof Error ? error.message : String(error),
    } satisfies YamlReply),
)
