/** How a requirement is met that no test of what Holdfast does can prove. */
export type RequirementRecord =
  /** Holdfast does something else. `rule` is the rule (H1 to H67) that decides it, where there is one. */
  | { readonly state: 'decided otherwise'; readonly reason: string; readonly rule?: string }
  /** A page tells users or driver authors; there is nothing to run. */
  | { readonly state: 'documentation only'; readonly page: string; readonly reason: string }

const otherwise = (reason: string, rule?: string): RequirementRecord => ({
  state: 'decided otherwise',
  reason,
  ...(rule ? { rule } : {}),
})
const documented = (page: string, reason: string): RequirementRecord => ({ state: 'documentation only', page, reason })

/** By ID. Nothing here may also stand at the beginning of a test's title. */
export const MET_WITHOUT_TEST: Readonly<Record<string, RequirementRecord>> = {
  'S0-20': otherwise(
    'One command, `npm run generate`, makes the code from the .proto files, and `npm run check` compares. Everything it needs comes with `npm ci`, so there is no second script for a container.',
  ),
  'S2-28': otherwise(
    'No secret is kept for unmounting: NodeUnpublishVolume and NodeUnstageVolume have no field for secrets in CSI 1.x. Unmounting therefore works without access to the secrets, which the tests of H45 prove.',
    'H45',
  ),
  'S2-29': otherwise(
    'The files beside the mounts name the volume and hold no secret; the calls that undo a mount take none.',
    'H45',
  ),
  'S3-7': otherwise(
    'Flex stays with the kubelet. The API server accepts `flexVolume` as Kubernetes does, and every part of Holdfast acts on volumes of CSI drivers only.',
  ),
  'S3-21': otherwise(
    'The annotation is not removed: it is still written for older readers, as in Kubernetes, and the attacher reads it last.',
    'H23',
  ),
  'S3-33': otherwise(
    'The requirement names Go packages. The types are in src/api/kinds/csi-node.ts and src/compat/alpha-csi-node-info.ts, and one client serves all kinds.',
  ),
  'S3-92': otherwise(
    'The member is `spec.source`, as in S2-16 and in Kubernetes; an API server drops `spec.volumeSource`.',
    'H36',
  ),
  'S3-102': otherwise(
    'S2-1 lifts the restriction. A driver still serves no volume in a pod unless its CSIDriver object lists `Ephemeral`.',
    'H38',
  ),
  'S3-110': otherwise(
    'Block volumes are supported, as in Kubernetes. Pod information is passed for them; tokens are for filesystem volumes only.',
    'H59',
  ),
  'S3-113': otherwise(
    'The name is `csi-` and the SHA-256 of volume handle, driver name and node name, for all volumes. The kubelet computes the same name, so it is part of the contract.',
    'H35',
  ),
  'S3-151': documented(
    'docs/write-a-driver.md',
    'The order of installation, upgrade and downgrade is up to the person who deploys the driver.',
  ),
  'S3-182': otherwise(
    'The stage secret goes into NodeStageVolume (S3-181) and not into NodeUnstageVolume, which has had no field for secrets since CSI 0.2.',
    'H47',
  ),
  'S3-184': otherwise(
    'The publish secret goes into NodePublishVolume (S3-183) and not into NodeUnpublishVolume, which has had no field for secrets since CSI 0.2.',
    'H47',
  ),
  'S4-32': documented(
    'docs/design/mutation-testing.md',
    'The requirement is about tests. The page has the share of changes to the decisions of the node agent that its tests notice.',
  ),
  'S4-36': otherwise(
    'Alpha, beta and GA are stages of Kubernetes releases (1.20 to 1.22). Holdfast has the GA behaviour with a feature gate that is on by default.',
    'H67',
  ),
}
