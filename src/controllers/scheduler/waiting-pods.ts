import type { Clock, Timer } from '../../base/clock.ts'
import { getOrAdd } from '../../base/get-or-add.ts'
import type { ClusterView } from './cluster-view.ts'
import { judgeNode } from './judge-node.ts'
import type { Plan } from './plan-placement.ts'

// With many pods waiting, changes are gathered for a moment.
const MANY = 500
const GATHER_MS = 10

/** Pods that no node can run, and the changes for which they are looked at again. */
export function createWaitingPods(clock: Clock, world: ClusterView, wake: (podKey: string) => void) {
  const waiting = new Map<string, { readonly classNames: readonly string[]; readonly plan: Plan | undefined }>()
  const byClass = new Map<string, Set<string>>()
  const changedNodes = new Set<string>()
  const changedClasses = new Set<string>()
  let timer: Timer | undefined

  const leave = (podKey: string): void => {
    for (const name of waiting.get(podKey)?.classNames ?? []) {
      const members = byClass.get(name)
      members?.delete(podKey)
      if (members?.size === 0) byClass.delete(name)
    }
    waiting.delete(podKey)
  }
  /** Without a plan, nodes make no difference. */
  const wait = (podKey: string, classNames: readonly string[], plan: Plan | undefined): void => {
    leave(podKey)
    waiting.set(podKey, { classNames, plan })
    for (const name of classNames) getOrAdd(byClass, name, () => new Set<string>()).add(podKey)
  }
  const lookSoon = (): void => {
    if (waiting.size > 0) timer ??= clock.setTimer(waiting.size > MANY ? GATHER_MS : 0, look)
  }
  const look = (): void => {
    timer = undefined
    const woken = new Set<string>()
    for (const name of changedClasses) for (const podKey of byClass.get(name) ?? []) woken.add(podKey)
    const nodes = [...changedNodes].flatMap((name) => world.findNode(name) ?? [])
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
    /** Something became better on the node: pods that can run there now are woken. */
    nodeChanged: (name: string): void => {
      if (waiting.size > 0) changedNodes.add(name)
      lookSoon()
    },
    /** There may be a volume, or storage, for claims of the class. */
    classChanged: (name: string): void => {
      if (byClass.has(name)) changedClasses.add(name)
      if (changedClasses.size > 0) lookSoon()
    },
    wakeAll: (): void => {
      for (const podKey of waiting.keys()) wake(podKey)
    },
    isSettled: (): boolean => timer === undefined,
    stop: (): void => timer?.cancel(),
  }
}
