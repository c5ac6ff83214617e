export { startScheduler } from './start-scheduler.ts'
export { schedulerOptions } from './scheduler-options.ts'
