export { changeOwnership } from './change-ownership.ts'
