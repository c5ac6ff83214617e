/** What is watched: all claims, the pods of one node for each watcher, or one volume by its name for each watcher. */
export type Watched = 'claims' | 'pods by node' | 'volumes by name'

/** What the client is told to do. Objects are known by their numbers. */
export type Task =
  | { kind: 'create'; what: 'volumes and claims' | 'pods'; from: number; count: number; inFlight: number }
  | { kind: 'get' | 'patch status'; objects: number; count: number; inFlight: number }
  | { kind: 'list'; count: number }
  | { kind: 'open watches'; watched: Watched; watchers: number }
  /** Changes of what is watched, each told to every watcher that it concerns; ends when all events have arrived. */
  | { kind: 'change'; watched: Watched; objects: number; count: number; inFlight: number; eventsEach: number }
  | { kind: 'close watches' }

/** What came of it. Times of single operations are sorted. */
export type TaskResult = {
  operations: number
  elapsedMs: number
  p50Ms: number
  p99Ms: number
  /** CPU time of the client, for one operation. */
  clientMicros: number
  /** Watches that the server has ended, so that events did not arrive. */
  lostWatches: number
}

export type ClientOptions = { address: string; ca: string; token: string }
export type ClientRequest = { task: Task }
export type ClientReply = { result: TaskResult } | { error: string }
