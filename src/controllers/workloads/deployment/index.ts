export { deploymentOptions, startDeployment } from './start-deployment.ts'
