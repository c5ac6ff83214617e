import { atStart, defineController } from './controller-definition.ts'
import type { Pass, StepOutcome, WaitStep } from './controller-definition.ts'
import { after } from './work-queue.ts'
import type { WorkQueue } from './work-queue.ts'

export type PeriodicWork = {
  readonly name: string
  readonly queue?: WorkQueue
  /** From the end of one run to the start of the next. */
  readonly intervalMs: number
  /** Logged with the error if a run fails; then a failure does not change the interval. Absent: the queue retries after its backoff. */
  readonly problem?: string
  /** A returned result decides when the next run starts: with `DONE`, never. */
  act(pass: Pick<Pass<object>, 'log' | 'signal'>): Promise<StepOutcome>
}

/** Does something at the start, and then periodically. */
export const definePeriodic = ({ name, queue, intervalMs, problem, act }: PeriodicWork) =>
  defineController({
    name,
    ...(queue ? { queue } : {}),
    watch: [atStart(name)],
    view: () => ({}),
    decide: (_view: object): WaitStep | { readonly kind: 'act' } => ({ kind: 'act' }),
    perform: {
      act: async (_step, pass) => {
        try {
          return (await act(pass)) ?? after(intervalMs)
        } catch (error) {
          pass.signal.throwIfAborted()
          if (problem === undefined) throw error
          pass.log.warn(problem, { error })
          return after(intervalMs)
        }
      },
    },
  })
