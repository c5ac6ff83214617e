import type { DemoStep } from './demo-step.ts'
import { FEATURE_STEPS } from './feature-steps.ts'
import { LAST_STEP } from './last-step.ts'
import { VOLUME_STEPS } from './volume-steps.ts'
import { WALKTHROUGH_STEPS } from './walkthrough-steps.ts'

/** The whole demonstration, in order. */
export const DEMO_STEPS: readonly DemoStep[] = [...WALKTHROUGH_STEPS, ...FEATURE_STEPS, ...VOLUME_STEPS, LAST_STEP]
