import type { Span } from '../../base/tracing/index.ts'

/** A step in the life of a volume, and the spans that belong to it. */
export type SpanStage = {
  /** `node`: any node. */
  readonly part: string
  /** The step of the part whose end completes it. */
  readonly completedBy: string
  /** Of the object that the step is about. Default: any. */
  readonly key?: string | undefined
  /** The steps of the part that belong to it. Default: all. */
  readonly steps?: readonly string[]
}

/** When the stage was completed for the first time; undefined if no span says so. */
export const findCompletion = (spans: readonly Span[], stage: SpanStage): number | undefined =>
  spans.find(
    ({ part, name, kind, error, attributes }) =>
      kind === 'step' &&
      part === stage.part &&
      name === stage.completedBy &&
      error === undefined &&
      isAbout({ attributes }, stage),
  )?.endMs

const isAbout = ({ attributes }: Pick<Span, 'attributes'>, { key }: SpanStage): boolean =>
  key === undefined || attributes['holdfast.key'] === key

/** The calls that the part made in steps of the stage, up to that time, oldest first. */
export function callsIn(spans: readonly Span[], stage: SpanStage, untilMs: number): Span[] {
  const steps = new Map(spans.filter(({ kind }) => kind === 'step').map((step) => [step.spanId, step]))
  return spans.filter(({ kind, part, parentSpanId = '', startMs }) => {
    if (kind !== 'client' || part !== stage.part || startMs > untilMs) return false
    const step = steps.get(parentSpanId)
    if (step?.name === stage.completedBy && !isAbout(step, stage)) return false
    // A call whose step is still going on belongs to it all the same.
    return stage.steps === undefined || (step !== undefined && stage.steps.includes(step.name))
  })
}
