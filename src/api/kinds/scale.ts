export type { Scale } from './generated/autoscaling-v1.ts'
