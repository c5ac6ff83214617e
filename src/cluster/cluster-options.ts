import type { Clock } from '../base/clock.ts'
import type { Host } from '../base/host/index.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'

export type ClusterParts = { host: Host; clock: Clock; random: Random; log: Logger; version: string }

export type ClusterOptions = {
  /** Everything that a cluster keeps is below this directory. */
  dataDirectory: string
  /** Objects of the API server are lost at the end; volumes are kept. */
  inMemory: boolean
  nodes: number
  /** Nodes are spread over them in turn; empty for a cluster without topology. */
  zones: readonly string[]
  /** Of the API server; 0 picks a free one. */
  port: number
  kubeconfigPath: string
}

/** A part that runs. */
export type StartedPart = {
  readonly name: string
  readonly detail: string
  /** Not worth a line of its own. */
  readonly isHidden?: boolean
  isIdle?(): boolean
  stop(): Promise<void>
}
