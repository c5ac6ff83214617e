export { cronJobOptions, startCronJob } from './start-cron-job.ts'
