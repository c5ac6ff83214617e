import { validateDnsSubdomain } from '../api/names.ts'
import { list } from '../base/options/index.ts'

/** For commands that start an API server. */
export const nodeLabelPrefixes = list(
  [],
  'Prefixes below kubernetes.io and k8s.io of labels that nodes are allowed to set on themselves. Use the prefixes of the topology keys of your drivers.',
  {
    example: 'topology.disk.csi.k8s.io',
  },
)

/** What is wrong with the prefixes. */
export const checkNodeLabelPrefixes = (prefixes: readonly string[]): string[] =>
  prefixes.flatMap((prefix) =>
    validateDnsSubdomain(prefix).map((problem) => `--node-label-prefixes: ${JSON.stringify(prefix)}: ${problem}`),
  )
