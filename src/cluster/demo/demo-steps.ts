import type { DemoStep } from './demo-step.ts'
import { FEATURE_STEPS } from './feature-steps.ts'
import { WALKTHROUGH_STEPS } from './walkthrough-steps.ts'

/** The whole demonstration, in order. */
export const DEMO_STEPS: readonly DemoStep[] = [...WALKTHROUGH_STEPS, ...FEATURE_STEPS]
