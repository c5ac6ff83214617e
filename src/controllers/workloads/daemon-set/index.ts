export { daemonSetOptions, startDaemonSet } from './start-daemon-set.ts'
