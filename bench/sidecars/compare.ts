import type { Load, Phase } from './load.ts'
import { measureRun, median } from './measure.ts'
import type { RunNumbers, RunOptions } from './measure.ts'
import type { OthersPhase } from './others-load.ts'
import { write } from './print.ts'
import type { RunningSubject } from './subjects.ts'

/** All rounds of one side. */
export type Side = {
  readonly name: string
  readonly rounds: { own: RunNumbers<Phase>; others: RunNumbers<OthersPhase> }[]
}

/** One round of one side: volumes of its own, from create to delete, and volumes made by others. */
export async function measureRound(
  subject: RunningSubject,
  loads: { own: Load<Phase>; others: Load<OthersPhase> },
  options: RunOptions,
): Promise<Side['rounds'][number]> {
  const own = await measureRun(loads.own, subject, options)
  const others = await measureRun(loads.others, subject, {
    ...options,
    prefix: `${options.prefix}-others`,
    warmUp: 0,
    alone: 0,
  })
  return { own, others }
}

type Row = { what: string; better: 'more' | 'less'; of(round: Side['rounds'][number]): number }

const own = (phase: Phase): Row => ({
  what: `${phase} a second`,
  better: 'more',
  of: (round) => round.own.phases[phase].perSecond,
})
const others = (phase: OthersPhase): Row => ({
  what: `${phase} a second`,
  better: 'more',
  of: (round) => round.others.phases[phase].perSecond,
})
const cold = (phase: Phase): Row => ({
  what: `${phase} a second, cold`,
  better: 'more',
  of: (round) => round.own.cold?.[phase] ?? Number.NaN,
})
const alone = (phase: Phase): Row => ({
  what: `${phase} alone, p50 ms`,
  better: 'less',
  of: (round) => round.own.phases[phase].aloneP50Ms,
})

const ROWS: readonly Row[] = [
  own('provision'),
  own('attach'),
  others('attach others'),
  own('detach'),
  others('detach others'),
  own('delete'),
  cold('provision'),
  cold('attach'),
  { what: 'CPU of a life, µs', better: 'less', of: (round) => round.own.lifeMicros },
  alone('provision'),
  alone('attach'),
  alone('detach'),
  alone('delete'),
]

/** Medians of both sides, their ratio (above 1: the first is better), and the range of each. */
export function printComparison(ours: Side, go: Side): void {
  const cells = (what: string, ...rest: string[]): string =>
    `${what.padEnd(26)}${rest.map((cell) => cell.padStart(16)).join('')}`
  write('')
  write(cells(`${ours.rounds.length} rounds`, ours.name, go.name, 'ratio', `${ours.name}:`, `${go.name}:`))
  for (const { what, better, of } of ROWS) {
    const [mine, theirs] = [ours, go].map(({ rounds }) => rounds.map(of)) as [number[], number[]]
    const [one, other] = [median(mine), median(theirs)]
    const range = (values: number[]): string => `${short(Math.min(...values))}–${short(Math.max(...values))}`
    const ratio = better === 'more' ? one / other : other / one
    write(cells(what, short(one), short(other), `${ratio.toFixed(2)}×`, range(mine), range(theirs)))
  }
}

const short = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))
