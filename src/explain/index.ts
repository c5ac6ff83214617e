export { explain } from './explain.ts'
export type { Answer, ExplainParts } from './explain.ts'
export type {
  Explanation,
  LastError,
  Link,
  LinkStatus,
  ObjectId,
  RelevantEvent,
  RunningClock,
  Usage,
} from './explanation.ts'
export { findStuck } from './find-stuck.ts'
export type { Stuck, StuckGroup, StuckObject } from './find-stuck.ts'
export { formatExplanation } from './format-explanation.ts'
export { formatStuck } from './format-stuck.ts'
export { usagesIn } from './read-usage.ts'
export { parseTarget } from './parse-target.ts'
export type { Target, TargetKind } from './parse-target.ts'
