/** Functions that stop started parts, in reverse order. */
export interface Stops {
  onStop(stop: () => unknown): void
  run(): Promise<void>
}

/** Collects how to stop each part while they are started. If one fails to stop, the others are still stopped. */
export function createStops(): Stops {
  const started: (() => unknown)[] = []
  const run = async (): Promise<void> => {
    const errors: unknown[] = []
    for (let stop = started.pop(); stop; stop = started.pop()) {
      try {
        await stop()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} parts failed to stop`)
  }
  return { onStop: (stop) => void started.push(stop), run }
}

/** Starts several parts. If that fails, the parts already started are stopped. */
export async function startWhole<T>(assemble: (stops: Stops) => Promise<T>): Promise<T> {
  const stops = createStops()
  try {
    return await assemble(stops)
  } catch (error) {
    await stops.run()
    throw error
  }
}
