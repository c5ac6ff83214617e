import { atStart, defineController } from './controller-definition.ts'
import type { Pass, StepOutcome, WaitStep } from './controller-definition.ts'
import { after } from './work-queue.ts'
import type { WorkQueue } from './work-queue.ts'

export type PeriodicWork = {
  readonly name: string
  readonly queue?: WorkQueue
  /** From the end of one time to the beginning of the next. */
  readonly intervalMs: number
  /** Logged with the error if it fails, which does not change when it is done again. */
  readonly problem: string
  /** A result of its own decides when it is done again: `DONE` is never. */
  act(pass: Pick<Pass<object>, 'log' | 'signal'>): Promise<StepOutcome>
}

/** Does one thing at the start, and then periodically. */
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
          pass.log.warn(problem, { error })
          return after(intervalMs)
        }
      },
    },
  })
