import type { Clock } from '../../base/clock.ts'
import type { CallObserver } from '../../csi/index.ts'

/** When the driver last did something for the cluster that it had not done before. */
export type Progress = { readonly onEnd: CallObserver; lastMs(): number }

// What a call is about. A call that succeeds again for the same is no progress.
const SUBJECTS = ['name', 'volumeId', 'snapshotId', 'sourceVolumeId', 'nodeId', 'targetPath', 'volumePath'] as const

export function watchProgress(clock: Pick<Clock, 'monotonicMs'>): Progress {
  const done = new Set<string>()
  let lastMs = clock.monotonicMs()
  return {
    onEnd: ({ rpc, request, code }) => {
      if (code !== 'OK') return
      const fields = request as Readonly<Partial<Record<(typeof SUBJECTS)[number], string>>>
      const key = [rpc.name, ...SUBJECTS.map((subject) => fields[subject] ?? '')].join(' ')
      if (done.has(key)) return
      done.add(key)
      lastMs = clock.monotonicMs()
    },
    lastMs: () => lastMs,
  }
}
