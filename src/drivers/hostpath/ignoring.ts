import { isHostError } from '../../base/host/host.ts'

/** The step, for which these failures are as good as success: somebody was faster, or an earlier try of ours. */
export async function ignoring(step: Promise<void>, ...codes: string[]): Promise<void> {
  await step.catch((error: unknown) => {
    if (!isHostError(error, ...codes)) throw error
  })
}
