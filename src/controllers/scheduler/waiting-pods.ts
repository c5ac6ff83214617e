import type { Clock, Timer } from '../../base/clock.ts'
import type { ClusterView } from './cluster-view.ts'
import { judgeNode } from './judge-node.ts'
import type { Plan } from './plan-placement.ts'

/** Pods that no node can take, and what they are to be looked at again for. */
export interface WaitingPods {
  /** Without a plan nodes make no difference. */
  wait(podKey: string, classNames: readonly string[], plan: Plan | undefined): void
  leave(podKey: string): void
  has(podKey: string): boolean
  /** Something became better on the node: those that it can take now are woken. */
  nodeChanged(name: string): void
  /** There may be a volume, or room, for claims of the class. */
  classChanged(name: string): void
  wakeAll(): void
  /** Nothing is left to be looked through. */
  isSettled(): boolean
  stop(): void
}

type Waiting = { readonly classNames: readonly string[]; readonly plan: Plan | undefined }

// With many pods waiting, changes of one moment are looked at together.
const MANY = 500
const GATHER_MS = 10

export function createWaitingPods({
  clock,
  world,
  wake,
}: {
  clock: Clock
  world: ClusterView
  wake: (podKey: string) => void
}): WaitingPods {
  const waiting = new Map<string, Waiting>()
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
  const wait = (podKey: string, classNames: readonly string[], plan: Plan | undefined): void => {
    leave(podKey)
    waiting.set(podKey, { classNames, plan })
    for (const name of classNames) byClass.set(name, (byClass.get(name) ?? new Set<string>()).add(podKey))
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
    has: (podKey) => waiting.has(podKey),
    nodeChanged: (name) => {
      if (waiting.size > 0) changedNodes.add(name)
      lookSoon()
    },
    classChanged: (name) => {
      if (byClass.has(name)) changedClasses.add(name)
      if (changedClasses.size > 0) lookSoon()
    },
    wakeAll: () => {
      for (const podKey of waiting.keys()) wake(podKey)
    },
    isSettled: () => timer === undefined,
    stop: () => timer?.cancel(),
  }
}
