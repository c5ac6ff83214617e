import type { Pod } from '../../api/kinds/pod.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import { Groups } from '../../base/groups.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'
import type { ClusterView } from './cluster-view.ts'
import { judgeNode } from './judge-node.ts'
import type { Plan } from './plan-placement.ts'

export type WaitingPods = ReturnType<typeof createWaitingPods>

export const isPending = (pod: Pod): boolean => !pod.spec.nodeName && !isFinishedPod(pod)

// With many waiting pods, changes are collected for a moment.
const MANY = 500
const GATHER_MS = 10

/** Pods that no node can run, and the changes after which they are checked again. */
export function createWaitingPods(clock: Clock, world: ClusterView, wake: (podKey: string) => void) {
  const waiting = new Map<string, { readonly classNames: readonly string[]; readonly plan: Plan | undefined }>()
  const byClass = new Groups<string>()
  const changedNodes = new Set<string>()
  const changedClasses = new Set<string>()
  let timer: Timer | undefined

  const leave = (podKey: string): void => {
    for (const name of waiting.get(podKey)?.classNames ?? []) byClass.delete(name, podKey)
    waiting.delete(podKey)
  }
  /** Without a plan, nodes make no difference. */
  const wait = (podKey: string, classNames: readonly string[], plan: Plan | undefined): void => {
    leave(podKey)
    waiting.set(podKey, { classNames, plan })
    for (const name of classNames) byClass.add(name, podKey)
  }
  const lookSoon = (): void => {
    if (waiting.size > 0) timer ??= clock.setTimer(waiting.size > MANY ? GATHER_MS : 0, look)
  }
  const look = (): void => {
    timer = undefined
    const woken = new Set<string>()
    for (const name of changedClasses) for (const podKey of byClass.get(name)) woken.add(podKey)
    const nodes = [...changedNodes].flatMap((name) => world.nodeTable.find(name) ?? [])
    changedNodes.clear()
    changedClasses.clear()
    for (const [podKey, { plan }] of waiting) {
      if (plan && !woken.has(podKey) && nodes.some((node) => judgeNode(plan, node, world).length === 0))
        woken.add(podKey)
    }
    for (const podKey of woken) wake(podKey)
  }
  return {
    wait,
    leave,
    /** The node may have become feasible for some pods: wakes those that can run there now. */
    nodeChanged: (name: string): void => {
      if (waiting.size > 0) changedNodes.add(name)
      lookSoon()
    },
    /** There may be a volume, or storage, for claims of the class. */
    classChanged: (name: string): void => {
      if (byClass.has(name)) changedClasses.add(name)
      if (changedClasses.size > 0) lookSoon()
    },
    /** Wakes pods with the claim that have no node yet. */
    claimChanged: (claimKey: string, except?: string): void => {
      for (const pod of world.podsWith(claimKey)) if (isPending(pod) && keyOf(pod) !== except) wake(keyOf(pod))
    },
    wakeAll: (): void => {
      for (const podKey of waiting.keys()) wake(podKey)
    },
    isSettled: (): boolean => timer === undefined,
    stop: (): void => timer?.cancel(),
  }
}
