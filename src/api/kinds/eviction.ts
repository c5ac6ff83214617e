export type { Eviction } from './generated/policy-v1.ts'
