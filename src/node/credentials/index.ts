export { readCredentials } from './read-credentials.ts'
export { createSecretReader } from './secret-reader.ts'
export { createTokenCache } from './token-cache.ts'
