export { readCredentials, createSecretReader, createTokenCache } from './credentials.ts'
