export { jobOptions, startJob } from './start-job.ts'
export { startTtlAfterFinished, ttlAfterFinishedOptions } from './start-ttl-after-finished.ts'
