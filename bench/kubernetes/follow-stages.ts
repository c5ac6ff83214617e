import type { Api } from '../../src/api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../src/api/kinds/volume-attachment.ts'
import type { KubeObject } from '../../src/api/object.ts'
import type { ResourceType } from '../../src/api/resource-type.ts'

const MARKS = ['askedMs', 'createdMs', 'boundMs', 'scheduledMs', 'attachAskedMs', 'attachedMs', 'runningMs'] as const
type Mark = (typeof MARKS)[number]

/** When a watch told of each step, since the start of kubectl; the claim and its pod have the same name. */
export type StageTimes = Readonly<Record<Mark | 'startMs', number>>

/** What lies between two steps, and who does it. */
export const STAGES: readonly { title: string; between: readonly [keyof StageTimes, Mark] }[] = [
  { title: 'kubectl, binder', between: ['startMs', 'askedMs'] },
  { title: 'provisioner', between: ['askedMs', 'createdMs'] },
  { title: 'bind, schedule', between: ['createdMs', 'attachAskedMs'] },
  { title: 'attacher', between: ['attachAskedMs', 'attachedMs'] },
  { title: 'kubelet', between: ['attachedMs', 'runningMs'] },
]

export type Stages = {
  /** Until the pod of that name is running; times since `sinceMs` of `performance.now()`. */
  untilRunning(name: string, sinceMs: number): Promise<StageTimes>
  stop(): void
}

const PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
const LIMIT_MS = 240_000

/** Watches everything that happens to claims and their pods. */
export function followStages(api: Api): Stages {
  const ending = new AbortController()
  const seen = new Map<string, Partial<Record<Mark, number>>>()
  const claimOfVolume = new Map<string, string>()
  const waiting = new Map<string, () => void>()
  const mark = (name: string | undefined, what: Mark, holds: boolean): void => {
    if (name === undefined || !holds) return
    const marks = seen.get(name) ?? {}
    marks[what] ??= performance.now()
    seen.set(name, marks)
    if (MARKS.every((each) => marks[each] !== undefined)) waiting.get(name)?.()
  }
  const follow = async <T extends KubeObject>(type: ResourceType<T>, note: (object: T) => void): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        for await (const event of api.watch(type, { signal: ending.signal }))
          if (event.type !== 'BOOKMARK') note(event.object)
      } catch (error) {
        if (!ending.signal.aborted) throw error
      }
    }
  }
  void follow(PERSISTENT_VOLUME_CLAIMS, ({ metadata, status }) => {
    mark(metadata.name, 'askedMs', metadata.annotations?.[PROVISIONER] !== undefined)
    mark(metadata.name, 'boundMs', status?.phase === 'Bound')
  })
  void follow(PERSISTENT_VOLUMES, ({ metadata, spec }) => {
    const claim = spec.claimRef?.name ?? ''
    claimOfVolume.set(metadata.name ?? '', claim)
    mark(claim, 'createdMs', true)
  })
  void follow(VOLUME_ATTACHMENTS, ({ spec, status }) => {
    const claim = claimOfVolume.get(spec.source.persistentVolumeName ?? '')
    mark(claim, 'attachAskedMs', true)
    mark(claim, 'attachedMs', status?.attached === true)
  })
  void follow(PODS, ({ metadata, spec, status }) => {
    mark(metadata.name, 'scheduledMs', spec.nodeName !== undefined)
    mark(metadata.name, 'runningMs', status?.phase === 'Running')
  })
  return {
    untilRunning: async (name, sinceMs) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const isComplete = (): boolean => MARKS.every((each) => seen.get(name)?.[each] !== undefined)
      const timer = setTimeout(
        () => reject(new Error(`${name} is not running: ${JSON.stringify(seen.get(name))}`)),
        LIMIT_MS,
      )
      waiting.set(name, resolve)
      if (isComplete()) resolve()
      await promise.finally(() => clearTimeout(timer))
      const times = Object.fromEntries(MARKS.map((each) => [each, (seen.get(name)?.[each] ?? 0) - sinceMs]))
      return { ...(times as Record<Mark, number>), startMs: 0 }
    },
    stop: () => ending.abort(),
  }
}
