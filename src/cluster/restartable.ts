import type { StartedPart } from './cluster-options.ts'

/** The part that `start` returns. After it was stopped, as if its process had ended, it can be started again. */
export async function restartable<Part extends StartedPart>(start: () => Promise<Part>): Promise<Part> {
  const first = await start()
  let running: StartedPart | undefined = first
  return {
    ...first,
    start: async () => {
      running ??= await start()
    },
    stop: async () => {
      const stopped = running
      running = undefined
      await stopped?.stop()
    },
  }
}
