// What the process outside the namespaces and the one inside say to each other, over Node's IPC channel.

export type ClusterReady = {
  readonly kind: 'ready'
  readonly ca: string
  readonly token: string
  /** Forwards to the API server. A socket of the file system is reachable from outside the network namespace. */
  readonly socket: string
}

export type Command =
  | { readonly kind: 'add-node'; readonly name: string }
  | { readonly kind: 'kill-kubelet'; readonly name: string }
  | { readonly kind: 'start-kubelet'; readonly name: string }
  /** A signal for every process in the cluster whose command line has all these words. */
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals; readonly words: readonly string[] }
  | { readonly kind: 'stop' }

export type Request = { readonly id: number; readonly command: Command }
export type Answer =
  | { readonly kind: 'answer'; readonly id: number; readonly value: number }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }

export type FromInside = ClusterReady | Answer

/** Names of the nodes; their tokens are made when the API server starts. */
export const NODE_NAMES = ['node-1', 'node-2'] as const
