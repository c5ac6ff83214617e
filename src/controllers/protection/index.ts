export { protectionOptions, startClassProtection, startProtection } from './start-protection.ts'
