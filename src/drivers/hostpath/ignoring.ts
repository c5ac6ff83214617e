import { isHostError } from '../../base/host/host.ts'

/** Runs the step and treats these errors as success: another process, or an earlier attempt, has already done it. */
export async function ignoring(step: Promise<void>, ...codes: string[]): Promise<void> {
  await step.catch((error: unknown) => {
    if (!isHostError(error, ...codes)) throw error
  })
}
