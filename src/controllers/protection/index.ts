export { startClassProtection, startProtection } from './start-protection.ts'
export { protectionOptions } from './protection-options.ts'
