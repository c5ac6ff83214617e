import { describeKubectl } from './testing/describe-kubectl.ts'

describeKubectl()
