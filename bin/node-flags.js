'use strict'

// The limit of the young generation, in MiB for each half of it. V8 would let it grow to 64 and hardly gives anything back: it was most of
// what a busy program held. Chosen so that it costs no time that could be measured: docs/design/performance.md.
const MOST_SEMI_SPACE = {
  apiserver: 8,
  up: 32,
  controllers: 16,
  'csi-attacher': 8,
  'csi-external-health-monitor-controller': 8,
  'csi-provisioner': 8,
  'csi-resizer': 8,
  'csi-snapshotter': 8,
  livenessprobe: 1,
  node: 8,
  'node-driver-registrar': 1,
  sidecar: 8,
  'snapshot-controller': 8,
}

// What a program needs besides its heap, in MiB: Node.js itself, its code, TLS and buffers.
const OUTSIDE_HEAP = 80

/**
 * The flags with which Node.js starts a command; none for one that ends soon.
 * `limit` is the memory limit of the container in bytes, and `total` the memory of the machine. V8 would take a quarter of the limit as its heap,
 * and a program with a limit of 256 MiB would fail at 64. `given` are the flags of the user: each of ours is left out if it is among them.
 */
exports.nodeFlagsOf = function (command, limit, total, given) {
  if (!Object.prototype.hasOwnProperty.call(MOST_SEMI_SPACE, command)) return []
  const flags = ['--max-semi-space-size=' + MOST_SEMI_SPACE[command]]
  if (limit > 0 && limit < total) {
    const mebibytes = Math.floor(limit / 1048576)
    flags.push('--max-old-space-size=' + Math.max(mebibytes - OUTSIDE_HEAP, Math.floor(mebibytes / 2)))
  }
  const spaces = (given || '').replace(/_/g, '-')
  return flags.filter(function (flag) {
    return spaces.indexOf(/(semi|old)-space/.exec(flag)[0]) < 0
  })
}
