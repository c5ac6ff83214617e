'use strict'

// How large the young generation of a program may become, in MiB for each half of it. V8 would let it grow to 64, and hardly gives anything
// back: most of what a busy program held was that. Chosen so that it costs no time that could be measured: docs/design/performance-sidecars.md.
const MOST_SEMI_SPACE = {
  apiserver: 32,
  up: 32,
  controllers: 16,
  'csi-attacher': 8,
  'csi-provisioner': 8,
  node: 8,
  sidecar: 8,
}

/** What Node has to be told when it starts a command; nothing for one that ends soon. */
exports.nodeFlagsOf = function (command) {
  return Object.prototype.hasOwnProperty.call(MOST_SEMI_SPACE, command)
    ? ['--max-semi-space-size=' + MOST_SEMI_SPACE[command]]
    : []
}
