export { startExpansion } from './start-expansion.ts'
