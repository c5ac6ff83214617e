import type { ClusterView } from './cluster-view.ts'
import { judgeNode } from './judge-node.ts'
import { loadOf, untoleratedOf } from './node-entry.ts'
import type { NodeView } from './node-entry.ts'
import type { Plan } from './plan-placement.ts'
import type { SchedulerReason } from './reasons.ts'

/** Why a node cannot run the pod. */
export type Verdict = { readonly node: string; readonly obstacles: readonly SchedulerReason[] }

export type ChoiceOptions = {
  /** How many nodes earlier searches have checked: this one goes on behind them, so that it does not always check the same nodes. */
  readonly startAt: number
  /** The search ends once this many feasible nodes are found. */
  readonly enough: number
  /** Nodes that are currently not chosen. */
  isHeldOff(node: NodeView): boolean
}

export type NodeChoice = {
  /** Undefined if there is none, or all feasible ones are held off. */
  readonly node?: NodeView
  readonly verdicts: readonly Verdict[]
  readonly visited: number
  readonly heldOff: number
}

// The step to the next node, as a part of the list: a few consecutive steps cover the whole cluster, however names group nodes.
const GOLDEN = 0.618_033_988_75

/** The best of the feasible nodes: with the pod's drivers, without PreferNoSchedule taints, preferred, and least loaded. */
export function chooseNode(plan: Plan, world: ClusterView, { startAt, enough, isHeldOff }: ChoiceOptions): NodeChoice {
  const nodes = candidatesOf(plan, world)
  const stride = strideOf(nodes.length)
  const verdicts: Verdict[] = []
  const unbeatable = unbeatableScore(plan, world)
  let best: { node: NodeView; score: Score } | undefined
  let [visited, good, heldOff] = [0, 0, 0]
  for (
    let at = (startAt * stride) % Math.max(nodes.length, 1);
    visited < nodes.length && good < enough;
    at = (at + stride) % nodes.length
  ) {
    visited++
    const node = nodes[at]
    if (!node) break
    const obstacles = judgeNode(plan, node, world)
    if (obstacles.length > 0) {
      if (!best) verdicts.push({ node: node.name, obstacles })
    } else if (isHeldOff(node)) heldOff++
    else {
      const score = scoreOf(plan, node)
      if (score.absentDrivers === 0) good++
      if (!best || isBetter(score, best.score)) best = { node, score }
      if (!isBetter(unbeatable, score)) break
    }
  }
  if (best) return { node: best.node, verdicts, visited, heldOff }
  // If only some nodes were checked, check all of them for the message.
  const { all } = world.nodeTable
  if (heldOff > 0 || nodes.length === all.length) return { verdicts, visited, heldOff }
  const judged = all.map((node) => ({ node: node.name, obstacles: judgeNode(plan, node, world) }))
  return { verdicts: judged.filter(({ obstacles }) => obstacles.length > 0), visited, heldOff }
}

/** The smallest set of nodes that is cheap to find and contains every node that can run the pod. */
function candidatesOf({ unbound, anchors }: Plan, world: ClusterView): readonly NodeView[] {
  const selected = unbound.find(({ selectedNode }) => selectedNode !== '')?.selectedNode
  if (selected !== undefined) {
    const node = world.nodeTable.find(selected)
    return node ? [node] : []
  }
  let fewest = world.nodeTable.all
  for (const each of anchors) {
    const nodes = world.nodeTable.at(each)
    if (nodes && nodes.length < fewest.length) fewest = nodes
  }
  return fewest
}

/** Near the golden ratio, and coprime to the count: every node is visited. */
export function strideOf(count: number): number {
  let stride = Math.max(1, Math.round(count * GOLDEN))
  while (divisorOf(stride, count) !== 1) stride++
  return stride
}

const divisorOf = (one: number, other: number): number => (other === 0 ? one : divisorOf(other, one % other))

const FEWEST = 100
const LEAST_SHARE = 0.05

/** How many feasible nodes are enough to choose among, as in kube-scheduler: a smaller share of a larger cluster. */
export function enoughNodes(count: number): number {
  const share = Math.max(LEAST_SHARE, (50 - count / 125) / 100)
  return Math.max(FEWEST, Math.ceil(count * share))
}

type Score = Readonly<{ absentDrivers: number; unwelcome: number; preference: number; load: number }>

function scoreOf({ volumes, tolerations, preferences }: Plan, node: NodeView): Score {
  let absentDrivers = 0
  for (const { driver } of volumes) if (!node.drivers.has(driver)) absentDrivers++
  let preference = 0
  for (const { weight, matches } of preferences) if (matches(node)) preference += weight
  const { unwelcome } = node.taints
  return {
    absentDrivers,
    unwelcome: unwelcome.length === 0 ? 0 : untoleratedOf(unwelcome, tolerations).length,
    preference,
    load: loadOf(node),
  }
}

/** No node has a better one: a search that finds it can end. */
const unbeatableScore = ({ preferences }: Plan, { nodeTable }: ClusterView): Score => ({
  absentDrivers: 0,
  unwelcome: 0,
  preference: preferences.reduce((sum, { weight }) => sum + Math.max(0, weight), 0),
  load: nodeTable.leastLoad(),
})

function isBetter(one: Score, other: Score): boolean {
  if (one.absentDrivers !== other.absentDrivers) return one.absentDrivers < other.absentDrivers
  if (one.unwelcome !== other.unwelcome) return one.unwelcome < other.unwelcome
  if (one.preference !== other.preference) return one.preference > other.preference
  return one.load < other.load
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had volume node affinity conflict.`: as in kube-scheduler, with equal reasons counted. */
export function formatVerdicts(verdicts: readonly Verdict[], nodeCount: number): string {
  if (nodeCount === 0) return 'no nodes available to schedule pods'
  const counts = new Map<string, number>()
  for (const { obstacles } of verdicts)
    for (const { message = '' } of obstacles) counts.set(message, (counts.get(message) ?? 0) + 1)
  const reasons = Array.from(counts, ([message, count]) => `${count} ${message}`).sort()
  return `0/${nodeCount} nodes are available${reasons.length === 0 ? '' : `: ${reasons.join(', ')}`}.`
}
