export { hasContainerStates, runningStatus, waitingStatus } from './pod-status.ts'
