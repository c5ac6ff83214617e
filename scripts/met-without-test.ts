/** Requirements that no test of what Holdfast does can prove, each with how it is met, or what was decided in its place. */
export const MET_WITHOUT_TEST: Readonly<Record<string, string>> = {
  'S0-20': '`npm run generate` makes the code from the .proto files and `npm run check` compares; all it needs comes with `npm ci`, so that a container needs no script of its own.',
  'S2-29': 'Decided otherwise (H45): the files beside the mounts name the volume and hold no secret; the calls that undo a mount take none.',
  'S3-7': 'Flex is left as it is: the API server takes `flexVolume` as Kubernetes does, and every part of Holdfast acts on volumes of CSI drivers only. Mounting them stays with the kubelet.',
  'S3-21': 'Nothing to do yet (H23): the annotation is still written for older readers, and the attacher asks it last.',
  'S3-33': 'Names Go packages. The types are in src/api/kinds/csi-node.ts and src/compat/seed-csi-node-info.ts, and the one client serves them all.',
  'S3-92': 'Decided otherwise (H36): the member is `spec.source`, as in S2-16 and in Kubernetes.',
  'S3-102': 'Lifted by S2-1 (H38). A driver still serves no volume in a pod unless its CSIDriver object says `Ephemeral`.',
  'S3-151': 'docs/write-a-driver.md says so to those who deploy drivers.',
  'S4-32': 'Is about tests: those of tokens and repeated publishing on the node are src/node/volumes/tokens.test.ts and next-steps.test.ts.',
}
