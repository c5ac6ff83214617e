import type { VersionInfo } from './http/path-handler.ts'

/** The server version that clients see. The Kubernetes version is the one whose fields and rules are served; ours is the suffix. */
export function serverVersion(version: string): VersionInfo {
  return {
    major: '1',
    minor: '36',
    gitVersion: `v1.36.4+holdfast-${version}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'none',
    compiler: 'none',
    platform: 'linux/amd64',
  }
}
