export { hasContainerStates, readyStatus, runningStatus, waitingStatus } from './pod-status.ts'
