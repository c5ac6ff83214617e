import type { WorldExemption } from './check-world.ts'

/** The files outside cli/ that may open files and connections. Keep it short: whatever is here cannot be simulated. */
export const WORLD_EXEMPTIONS: readonly WorldExemption[] = [
  // The real host: each has its simulated twin behind the Host interface.
  {
    file: 'src/base/host/system-files.ts',
    modules: ['node:fs', 'node:fs/promises'],
    because: 'the files of the machine',
  },
  {
    file: 'src/base/host/system-copy-file.ts',
    modules: ['node:fs', 'node:fs/promises'],
    because: 'copies with holes and reflinks',
  },
  { file: 'src/base/host/system-mounts.ts', modules: ['node:fs/promises'], because: 'finds the places of mounts' },
  { file: 'src/base/host/system-mount-table.ts', modules: ['node:fs/promises'], because: 'reads the mount table' },
  {
    file: 'src/base/host/system-launcher.ts',
    modules: ['node:child_process'],
    because: 'starts the small process that runs mount and umount',
  },
  { file: 'src/base/host/system-loops.ts', modules: ['node:fs/promises'], because: 'finds loop devices' },
  {
    file: 'src/base/host/system-privileges.ts',
    modules: ['node:fs', 'node:fs/promises'],
    because: 'tries what this process may do',
  },
  {
    file: 'src/base/host/system-processes.ts',
    modules: ['node:child_process', 'node:os'],
    because: 'runs mount, losetup and the like',
  },
  // Sockets.
  {
    file: 'src/csi/connect.ts',
    modules: ['node:net'],
    because: 'dials the unix socket of a driver; the protocol on it does no I/O',
  },
  {
    file: 'src/csi/kit/listen-on-socket.ts',
    modules: ['node:net'],
    because: 'takes the connections of a driver on its unix socket',
  },
  {
    file: 'src/proxy/grpc/join-connections.ts',
    modules: ['node:net', 'node:http2'],
    because: 'connects a caller to a driver; the faults between them are decided without it',
  },
  { file: 'src/proxy/grpc/call-driver.ts', modules: ['node:http2'], because: 'carries one call over such connections' },
  {
    file: 'src/check/raw-call.ts',
    modules: ['node:http2', 'node:net'],
    because: 'calls a driver with an :authority that no gRPC library sends',
  },
  {
    file: 'src/apiserver/http/server.ts',
    modules: ['node:http', 'node:http2'],
    because: 'the network face of the API server; the core behind it has none',
  },
  {
    file: 'src/apiserver/http/call-webhook.ts',
    modules: ['node:https'],
    because: 'asks admission webhooks; the core gets it as a function',
  },
  {
    file: 'src/kube/client/http2-sessions.ts',
    modules: ['node:http2'],
    because: 'the API over a network; the joined one needs none',
  },
  {
    file: 'src/kube/client/http1-pool.ts',
    modules: ['node:net', 'node:tls'],
    because: 'the same, for requests that are answered at once',
  },
  {
    file: 'src/console/serve-console.ts',
    modules: ['node:http'],
    because: 'serves the page of the console to a browser on this machine',
  },
  {
    file: 'src/console/page-files.ts',
    modules: ['node:module'],
    because: 'strips the types of the page in a checkout; reads nothing by itself',
  },
  // The state of the embedded server: the memory backend is its twin.
  {
    file: 'src/apiserver/storage/sqlite-database.ts',
    modules: ['node:sqlite'],
    because: 'the file that keeps the state',
  },
  {
    file: 'src/apiserver/storage/sqlite-format.ts',
    modules: ['node:sqlite'],
    because: 'looks at that file before it is opened',
  },
  {
    file: 'src/apiserver/storage/read-sqlite-state.ts',
    modules: ['node:sqlite'],
    because: 'reads that file without changing it',
  },
  {
    file: 'src/apiserver/storage/acknowledged-file.ts',
    modules: ['node:fs'],
    because: 'a record beside that file, written in the same thread',
  },
  { file: 'src/apiserver/storage/disk-reserve.ts', modules: ['node:fs'], because: 'room on the disk for that thread' },
  {
    file: 'src/apiserver/storage/sqlite-backend.ts',
    modules: ['node:worker_threads'],
    because: 'commits in a thread of its own',
  },
  { file: 'src/apiserver/storage/sqlite-worker.ts', modules: ['node:worker_threads'], because: 'is that thread' },
  {
    file: 'src/apiserver/http/yaml-threads.ts',
    modules: ['node:worker_threads'],
    because: 'parses what takes long in a thread of its own',
  },
  { file: 'src/apiserver/http/yaml-worker.ts', modules: ['node:worker_threads'], because: 'is that thread' },
  {
    file: 'src/apiserver/schema/regexp/load-re2.ts',
    modules: ['node:module'],
    because: 'loads a package with the first pattern, not at the start',
  },
  { file: 'src/kube/process/serve-http.ts', modules: ['node:http'], because: 'metrics and health of a process' },
]
