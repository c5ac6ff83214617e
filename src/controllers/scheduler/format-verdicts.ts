import type { Verdict } from './choose-node.ts'
import type { Obstacle } from './obstacles.ts'

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had volume node affinity conflict.`: as Kubernetes has it, equal reasons counted. */
export function formatVerdicts(verdicts: readonly Verdict[], nodeCount: number): string {
  if (nodeCount === 0) return 'no nodes available to schedule pods'
  const counts = new Map<string, number>()
  for (const { obstacles } of verdicts)
    for (const { words } of obstacles) counts.set(words, (counts.get(words) ?? 0) + 1)
  const reasons = Array.from(counts, ([words, count]) => `${count} ${words}`).sort()
  return `0/${nodeCount} nodes are available${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}.`
}

/** For what keeps a pod off every node before any is looked at. */
export const formatPodObstacle = ({ words }: Obstacle, nodeCount: number): string =>
  `0/${nodeCount} nodes are available: ${words}.`
